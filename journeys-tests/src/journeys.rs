//! The drivers, one file a journey. A driver only does and records; what it means is in `judge/`.

mod cancel;
mod image;
mod killed_mid_turn;
mod load;
mod memory;
mod model_failure;
mod modes;
mod plan;
mod question;
mod refused_permission;
mod reply;

use crate::{
    journey::Journey,
    recording::{Inputs, Recording},
    stage::Stage,
    trouble::Trouble,
};

/// Makes up the values of a journey, drives it on the stage, and returns what was recorded.
#[must_use]
pub fn drive(journey: Journey, stage: Result<Stage<'_>, Trouble>) -> Recording {
    let inputs = make_up(journey);
    let mut stage = match stage {
        Ok(stage) => stage,
        Err(trouble) => {
            return Recording {
                inputs,
                processes: Vec::new(),
                trouble: Some(trouble),
                timing: None,
            };
        }
    };
    let outcome = match &inputs {
        Inputs::Reply { marker } => reply::drive(&mut stage, marker),
        Inputs::Memory { word } => memory::drive(&mut stage, word),
        Inputs::Load { word } => load::drive(&mut stage, word),
        Inputs::Image { word } => image::drive(&mut stage, word),
        Inputs::Cancel => cancel::drive(&mut stage),
        Inputs::Plan { plan } => plan::drive(&mut stage, plan),
        Inputs::Modes {
            first,
            created_file,
            second,
        } => modes::drive(&mut stage, first, created_file, second),
        Inputs::RefusedPermission => refused_permission::drive(&mut stage),
        Inputs::KilledMidTurnThenLoad { word } => killed_mid_turn::drive(&mut stage, word),
        Inputs::ModelFailure { marker } => model_failure::drive(&mut stage, marker),
        Inputs::Question { answer } => question::drive(&mut stage, answer),
    };
    Recording {
        inputs,
        processes: stage.into_processes(),
        trouble: outcome.err(),
        timing: None,
    }
}

fn make_up(journey: Journey) -> Inputs {
    match journey {
        Journey::Reply => Inputs::Reply {
            marker: random("REPLY-"),
        },
        Journey::Memory => Inputs::Memory {
            word: random("WORD-"),
        },
        Journey::Load => Inputs::Load {
            word: random("WORD-"),
        },
        Journey::Image => Inputs::Image {
            word: random("WORD-"),
        },
        Journey::Cancel => Inputs::Cancel,
        Journey::Plan => Inputs::Plan {
            plan: plan::make_up("harbour.txt"),
        },
        Journey::Modes => Inputs::Modes {
            first: plan::make_up("harbour.txt"),
            created_file: format!("created-{}.txt", random("")),
            second: plan::make_up("lighthouse.txt"),
        },
        Journey::RefusedPermission => Inputs::RefusedPermission,
        Journey::KilledMidTurnThenLoad => Inputs::KilledMidTurnThenLoad {
            word: random("WORD-"),
        },
        Journey::ModelFailure => Inputs::ModelFailure {
            marker: random("REPLY-"),
        },
        Journey::Question => Inputs::Question {
            answer: random("ANSWER-"),
        },
    }
}

/// A prefix and eight random hexadecimal digits in upper case: nothing an agent could know or guess.
fn random(prefix: &str) -> String {
    format!("{prefix}{:08X}", rand::random::<u32>())
}
