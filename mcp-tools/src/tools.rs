//! The tools, one file each: schema, annotations, body.
//!
//! What must stay true: an error of a tool is a result with `isError`, so that the model behind the
//! agent reads it and can correct itself; only an unknown tool is a JSON-RPC error.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling>

pub mod create_plan;
pub mod get_plan;

use rmcp::model::{ContentBlock, IntoContents};

use crate::plans::PlanError;

/// The words of the error are the content of the failed result.
impl IntoContents for PlanError {
    fn into_contents(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self.to_string())]
    }
}
