//! The plans of this process: the server's only state.
//!
//! Apart from the tools, so that what a plan is can be read and tested without MCP.
//! What must stay true: an ID is given once and cannot be guessed; everything stored has a bound.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

/// A title is one line in a list; 1 KiB is far more than anybody reads there.
pub const MAX_TITLE_BYTES: usize = 1024;
/// A description holds a whole document, command output included.
pub const MAX_DESCRIPTION_BYTES: usize = 1024 * 1024;
/// With the limits above: at most 256 MiB of plans in one process.
pub const MAX_PLANS: usize = 256;

/// One saved plan, as `get_plan` answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The ID that `create_plan` answered.
    pub id: String,
    /// The plan's title.
    pub title: String,
    /// The plan itself, in any text form.
    pub description: String,
}

/// Why a plan was not saved or not found. The caller of a tool reads these words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The title holds no visible character.
    #[error("title is empty: give the plan a title of at least one visible character")]
    EmptyTitle,
    /// A text is longer than its limit.
    #[error("{field} is too long: {bytes} bytes, the limit is {limit}")]
    TooLong {
        /// The argument's name.
        field: &'static str,
        /// Its length in bytes.
        bytes: usize,
        /// The most that is taken, in bytes.
        limit: usize,
    },
    /// The process holds [`MAX_PLANS`] plans.
    #[error("no room for another plan: this server holds {MAX_PLANS}; start a new server")]
    Full,
    /// No plan has this ID.
    #[error("no plan has the ID {0:?}: use an ID that create_plan answered in this session")]
    UnknownId(String),
}

/// All plans of this process.
#[derive(Debug, Default)]
pub struct Plans {
    by_id: Mutex<HashMap<String, Plan>>,
}

impl Plans {
    /// Saves a plan and returns its new ID.
    ///
    /// # Errors
    /// [`PlanError::EmptyTitle`], [`PlanError::TooLong`] or [`PlanError::Full`]; nothing is saved then.
    pub fn create(&self, title: &str, description: &str) -> Result<String, PlanError> {
        if title.trim().is_empty() {
            return Err(PlanError::EmptyTitle);
        }
        within("title", title, MAX_TITLE_BYTES)?;
        within("description", description, MAX_DESCRIPTION_BYTES)?;

        let mut plans = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MAX_PLANS {
            return Err(PlanError::Full);
        }
        let id = new_id();
        let plan = Plan {
            id: id.clone(),
            title: title.to_owned(),
            description: description.to_owned(),
        };
        plans.insert(id.clone(), plan);
        Ok(id)
    }

    /// The plan with this ID.
    ///
    /// # Errors
    /// [`PlanError::UnknownId`], with the ID.
    pub fn get(&self, id: &str) -> Result<Plan, PlanError> {
        let plans = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        plans
            .get(id)
            .cloned()
            .ok_or_else(|| PlanError::UnknownId(id.to_owned()))
    }
}

fn within(field: &'static str, text: &str, limit: usize) -> Result<(), PlanError> {
    let bytes = text.len();
    if bytes > limit {
        return Err(PlanError::TooLong {
            field,
            bytes,
            limit,
        });
    }
    Ok(())
}

/// 64 random bits: an ID in a reply was read from a result, not made up.
fn new_id() -> String {
    format!("plan-{:016x}", rand::random::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_back_as_it_was_saved() {
        let plans = Plans::default();
        let id = plans.create("Tea", "Boil water.\n日本").unwrap();
        let expected = Plan {
            id: id.clone(),
            title: "Tea".to_owned(),
            description: "Boil water.\n日本".to_owned(),
        };
        assert_eq!(plans.get(&id), Ok(expected));
    }

    #[test]
    fn the_same_plan_twice_has_two_ids() {
        let plans = Plans::default();
        let first = plans.create("Tea", "").unwrap();
        let second = plans.create("Tea", "").unwrap();
        assert_ne!(first, second);
        assert!(first.starts_with("plan-") && first.len() == "plan-".len() + 16);
    }

    #[test]
    fn what_is_refused() {
        let long_title = "x".repeat(MAX_TITLE_BYTES + 1);
        let long_description = "x".repeat(MAX_DESCRIPTION_BYTES + 1);
        let table = [
            ("", "d", PlanError::EmptyTitle),
            (" \n\t", "d", PlanError::EmptyTitle),
            (
                long_title.as_str(),
                "d",
                PlanError::TooLong {
                    field: "title",
                    bytes: MAX_TITLE_BYTES + 1,
                    limit: MAX_TITLE_BYTES,
                },
            ),
            (
                "t",
                long_description.as_str(),
                PlanError::TooLong {
                    field: "description",
                    bytes: MAX_DESCRIPTION_BYTES + 1,
                    limit: MAX_DESCRIPTION_BYTES,
                },
            ),
        ];
        let plans = Plans::default();
        for (title, description, error) in table {
            assert_eq!(plans.create(title, description), Err(error));
        }
    }

    #[test]
    fn the_number_of_plans_has_a_bound() {
        let plans = Plans::default();
        for _ in 0..MAX_PLANS {
            plans.create("t", "").unwrap();
        }
        assert_eq!(plans.create("t", ""), Err(PlanError::Full));
    }

    #[test]
    fn an_unknown_id_is_named() {
        let error = Plans::default().get("plan-0").unwrap_err();
        assert!(error.to_string().contains("\"plan-0\""), "{error}");
    }
}
