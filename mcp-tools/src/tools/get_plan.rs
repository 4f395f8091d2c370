//! `get_plan {id}`: reads a saved plan back. It changes nothing and says so (`readOnlyHint`).

use rmcp::{
    handler::server::wrapper::{Json, Parameters},
    schemars::{self, JsonSchema},
    tool, tool_router,
};
use serde::Deserialize;

use crate::{
    plans::{Plan, PlanError},
    server::Rondar,
};

/// The arguments of `get_plan`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct GetPlan {
    /// The ID that create_plan answered.
    pub id: String,
}

#[tool_router(router = get_plan_router, vis = "pub(crate)")]
impl Rondar {
    /// Read a saved plan by its ID. Answers the plan's id, title and description.
    #[tool(
        title = "Read a plan",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn get_plan(&self, Parameters(wanted): Parameters<GetPlan>) -> Result<Json<Plan>, PlanError> {
        self.plans.get(&wanted.id).map(Json)
    }
}
