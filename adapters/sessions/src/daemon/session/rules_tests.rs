//! The tables of the rules.

use super::{
    Admission::{self, Done, Join, Preempt, Refuse, Start},
    Ending, Facts, Gate,
    Operation::{self, Checkpoint, Destroy, Launch, Resume, Suspend},
    Seen, Why, ending,
};
use crate::{
    api::{ChatPhase, Outcome, State},
    store::TurnEnd,
};

const LIVE: Facts = Facts {
    state: State::Running,
    operation: None,
    is_attached: true,
    is_running: false,
    is_queued: false,
    has_checkpoint: false,
    has_environment: true,
};

const fn at(state: State) -> Facts {
    Facts {
        state,
        is_attached: false,
        ..LIVE
    }
}

const fn during(state: State, operation: Operation) -> Facts {
    Facts {
        operation: Some(operation),
        ..at(state)
    }
}

#[test]
fn case_73_what_is_told_and_what_happens_to_a_prompt() {
    let running = Facts {
        is_running: true,
        ..LIVE
    };
    let queued = Facts {
        is_queued: true,
        ..LIVE
    };
    let saving = Facts {
        operation: Some(Checkpoint),
        state: State::Checkpointing,
        ..LIVE
    };
    let closing = Facts {
        operation: Some(Suspend),
        state: State::Closing,
        ..running
    };
    //  facts                                 idle   phase               prompt
    let table = [
        (LIVE, true, ChatPhase::Idle, Gate::Open),
        (running, false, ChatPhase::Running, Gate::Open),
        (queued, false, ChatPhase::Running, Gate::Open),
        (saving, false, ChatPhase::Idle, Gate::Open),
        (closing, false, ChatPhase::Closing, Gate::Retiring),
        // Case 73: what the daemon cannot see is never idle.
        (at(State::Running), false, ChatPhase::Closed, Gate::Hold),
        (
            at(State::Disconnected),
            false,
            ChatPhase::Closed,
            Gate::Hold,
        ),
        (
            during(State::Provisioning, Launch),
            false,
            ChatPhase::Closed,
            Gate::Hold,
        ),
        (
            during(State::Launching, Launch),
            false,
            ChatPhase::Closed,
            Gate::Hold,
        ),
        (
            during(State::Stopped, Resume),
            false,
            ChatPhase::Closed,
            Gate::Hold,
        ),
        (
            during(State::Error, Resume),
            false,
            ChatPhase::Closed,
            Gate::Hold,
        ),
        (
            during(State::Provisioning, Destroy),
            false,
            ChatPhase::Closing,
            Gate::Retiring,
        ),
        (
            at(State::Stopped),
            false,
            ChatPhase::Closed,
            Gate::Suspended,
        ),
        (at(State::Error), false, ChatPhase::Closed, Gate::Failed),
        (at(State::Lost), false, ChatPhase::Closed, Gate::Failed),
    ];
    for (facts, idle, phase, gate) in table {
        let told = (facts.is_idle(), facts.chat_phase(), facts.gate());
        assert_eq!(told, (idle, phase, gate), "{facts:?}");
    }
}

#[test]
fn one_operation_at_a_time() {
    let all = [Launch, Resume, Checkpoint, Suspend, Destroy];
    //  running     Launch  Resume  Checkpoint  Suspend  Destroy
    let busy = |operation| Refuse(Why::Busy(operation));
    let table: [(Operation, [Admission; 5]); 5] = [
        (Launch, [Join, Join, busy(Launch), Preempt, Preempt]),
        (Resume, [busy(Resume), Join, busy(Resume), Preempt, Preempt]),
        (
            Checkpoint,
            [busy(Checkpoint), busy(Checkpoint), Join, Preempt, Preempt],
        ),
        (
            Suspend,
            [busy(Suspend), busy(Suspend), busy(Suspend), Join, Preempt],
        ),
        (
            Destroy,
            [
                busy(Destroy),
                busy(Destroy),
                busy(Destroy),
                busy(Destroy),
                Join,
            ],
        ),
    ];
    for (running, expected) in table {
        let facts = Facts {
            operation: Some(running),
            ..LIVE
        };
        assert_eq!(
            all.map(|wanted| facts.admit(wanted)),
            expected,
            "{running:?}"
        );
    }
}

#[test]
fn what_each_state_admits() {
    let saved = |state| Facts {
        has_checkpoint: true,
        has_environment: false,
        ..at(state)
    };
    let empty = |state| Facts {
        has_environment: false,
        ..at(state)
    };
    let all = [Resume, Checkpoint, Suspend, Destroy];
    let (live, not_live, none) = (
        Refuse(Why::Live),
        Refuse(Why::NotLive),
        Refuse(Why::NoCheckpoint),
    );
    //  facts                                    Resume  Checkpoint        Suspend Destroy
    let table = [
        (LIVE, [live, Start, Start, Start]),
        (
            Facts {
                is_running: true,
                ..LIVE
            },
            [live, Refuse(Why::Turn), Start, Start],
        ),
        (at(State::Disconnected), [live, Start, Start, Start]),
        (saved(State::Stopped), [Start, not_live, Done, Start]),
        (empty(State::Stopped), [none, not_live, Done, Start]),
        (saved(State::Error), [Start, not_live, Start, Start]),
        (at(State::Error), [Start, not_live, Start, Start]),
        (empty(State::Error), [none, not_live, Start, Start]),
        (saved(State::Lost), [Start, not_live, Start, Start]),
    ];
    for (facts, expected) in table {
        assert_eq!(all.map(|wanted| facts.admit(wanted)), expected, "{facts:?}");
    }
}

#[test]
fn an_admitted_operation_is_seen_at_once() {
    let empty = |state| Facts {
        has_environment: false,
        ..at(state)
    };
    //  facts                   operation   state
    let table = [
        (at(State::Disconnected), Launch, State::Disconnected),
        (LIVE, Checkpoint, State::Checkpointing),
        (LIVE, Suspend, State::Closing),
        (LIVE, Destroy, State::Destroying),
        (empty(State::Stopped), Resume, State::Provisioning),
        (at(State::Error), Resume, State::Launching),
        (at(State::Lost), Resume, State::Launching),
        (empty(State::Lost), Resume, State::Provisioning),
    ];
    for (facts, operation, state) in table {
        assert_eq!(
            facts.state_during(operation),
            state,
            "{facts:?} {operation:?}"
        );
    }
}

#[test]
fn when_a_wait_is_over() {
    let finished = TurnEnd {
        outcome: Outcome::Finished,
        stop_reason: Some("end_turn".to_owned()),
        message: None,
        final_message: Some("done".to_owned()),
    };
    let ended = Some(Ending::Turn(finished.clone()));
    let other =
        |outcome, error: Option<&str>| Some(Ending::Other(outcome, error.map(str::to_owned)));
    let old = Seen {
        facts: Facts {
            is_running: true,
            ..LIVE
        },
        end: None,
        close_failed: false,
        error: Some("an old error"),
        is_asked: false,
    };
    let with = |facts| Seen { facts, ..old };
    //  seen                                                  ending
    let table = [
        (old, None),
        (
            Seen {
                end: Some(&finished),
                ..old
            },
            ended.clone(),
        ),
        (
            Seen {
                end: Some(&finished),
                ..with(at(State::Error))
            },
            ended.clone(),
        ),
        (
            Seen {
                end: Some(&finished),
                ..with(during(State::Closing, Suspend))
            },
            ended,
        ),
        (
            Seen {
                close_failed: true,
                ..old
            },
            other(Outcome::Error, old.error),
        ),
        (
            Seen {
                close_failed: true,
                ..with(during(State::Closing, Suspend))
            },
            None,
        ),
        (with(during(State::Stopped, Resume)), None),
        (with(during(State::Closing, Suspend)), None),
        (with(at(State::Stopped)), other(Outcome::Stopped, None)),
        (with(at(State::Error)), other(Outcome::Error, old.error)),
        (with(during(State::Error, Launch)), None),
        (
            Seen {
                is_asked: true,
                ..old
            },
            other(Outcome::InputRequired, None),
        ),
        (
            Seen {
                is_asked: true,
                ..with(at(State::Stopped))
            },
            other(Outcome::Stopped, None),
        ),
    ];
    for (seen, expected) in table {
        assert_eq!(ending(&seen), expected, "{seen:?}");
    }
}
