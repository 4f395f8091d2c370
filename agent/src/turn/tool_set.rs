//! The tools that one turn offers: the built-in ones, and those of the session's tool servers.

use std::sync::Arc;

use crate::{mcp::Servers, model::ToolSpec, tools::Tool};

/// What can be called in a turn.
pub(super) struct ToolSet {
    built_in: Vec<Arc<dyn Tool>>,
    servers: Option<Arc<Servers>>,
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
    revision: u64,
}

impl ToolSet {
    pub(super) fn new(built_in: &[Arc<dyn Tool>], servers: Option<Arc<Servers>>) -> Self {
        let mut set = Self {
            built_in: built_in.to_vec(),
            servers,
            tools: Vec::new(),
            specs: Vec::new(),
            revision: 0,
        };
        set.collect();
        set
    }

    /// A server may change its tools while the turn runs; the next step offers the new ones.
    pub(super) fn refresh(&mut self) {
        let revision = self
            .servers
            .as_ref()
            .map_or(0, |servers| servers.revision());
        if revision != self.revision {
            self.collect();
        }
    }

    /// How they are offered to the model.
    pub(super) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// The tool with this name.
    pub(super) fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    fn collect(&mut self) {
        self.tools = self.built_in.clone();
        if let Some(servers) = &self.servers {
            self.revision = servers.revision();
            self.tools.extend(servers.tools());
        }
        self.specs = self.tools.iter().map(|tool| tool.spec().clone()).collect();
    }
}
