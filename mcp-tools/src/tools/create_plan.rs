//! `create_plan {title, description}`: saves a plan and answers its ID.
//!
//! The ID comes twice, as MCP asks: as structured content for programs, and in the text.

use rmcp::{
    handler::server::wrapper::{Json, Parameters},
    schemars::{self, JsonSchema},
    tool, tool_router,
};
use serde::{Deserialize, Serialize};

use crate::{plans::PlanError, server::Rondar};

/// The arguments of `create_plan`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CreatePlan {
    /// A short title for the plan, not empty.
    pub title: String,
    /// The whole plan, in plain text or Markdown.
    pub description: String,
}

/// The answer of `create_plan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedPlan {
    /// The ID of the saved plan, for get_plan.
    pub id: String,
}

#[tool_router(router = create_plan_router, vis = "pub(crate)")]
impl Rondar {
    /// Save a plan with a title and a description. Answers the plan's ID; read it back with get_plan.
    #[tool(
        title = "Save a plan",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_plan(
        &self,
        Parameters(plan): Parameters<CreatePlan>,
    ) -> Result<Json<CreatedPlan>, PlanError> {
        let id = self.plans.create(&plan.title, &plan.description)?;
        Ok(Json(CreatedPlan { id }))
    }
}
