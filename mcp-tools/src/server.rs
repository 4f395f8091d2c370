//! What MCP sees: the server's name, its list of tools, and the one door through which calls go.
//!
//! All calls pass `call_tool`, so that each one is in the record before its answer is on the wire.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::{router::tool::ToolRouter, tool::ToolCallContext},
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
    tool_handler,
};

use crate::{
    plans::Plans,
    record::{Event, Record},
};

/// The name that `initialize` answers; ACP clients know the server under the same name.
pub const NAME: &str = "rondar";

/// The server: its plans, its tools and its record.
#[derive(Debug, Clone)]
pub struct Rondar {
    pub(crate) plans: Arc<Plans>,
    tools: ToolRouter<Self>,
    record: Record,
}

impl Rondar {
    /// A server without plans that records its calls in `record`.
    #[must_use]
    pub fn new(record: Record) -> Self {
        Self {
            plans: Arc::default(),
            tools: Self::create_plan_router() + Self::get_plan_router(),
            record,
        }
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let known: Vec<_> = self.tools.list_all().into_iter().map(|t| t.name).collect();
        let message = format!(
            "unknown tool {name:?}: this server has {}",
            known.join(", ")
        );
        ErrorData::invalid_params(message, None)
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Rondar {
    fn get_info(&self) -> ServerConfig {
        let server =
            Implementation::new(NAME, env!("CARGO_PKG_VERSION")).with_title("Rondar plans");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(
                "Save a plan with create_plan; read it back with get_plan and its ID.",
            )
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.to_string();
        let arguments = request.arguments.clone().unwrap_or_default();

        let answer = if self.tools.has_route(&tool) {
            let call = ToolCallContext::new(self, request, context);
            self.tools.call(call).await
        } else {
            Err(self.unknown_tool(&tool))
        };

        let event = Event::call(&tool, arguments, &answer);
        match self.record.append(&event) {
            Ok(()) => answer,
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }
}
