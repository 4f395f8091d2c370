//! A session as clients see it.

use super::Known;
use crate::{api::Session, store::timestamp};

impl Known {
    /// Everything.
    pub(crate) fn view(&self) -> Session {
        Session {
            runtime: self.runtime.clone(),
            pending_elicitations: self.questions.clone(),
            ..self.line()
        }
    }

    /// As it stands in the list.
    pub(crate) fn line(&self) -> Session {
        let facts = self.facts();
        let row = &self.row;
        let asked = &row.asked;
        Session {
            id: row.id.clone(),
            workspace_id: asked.workspace_id.clone(),
            title: row.title.clone(),
            harness_kind: asked.harness_kind.clone(),
            profile_id: asked.profile_id.clone(),
            target_id: asked.target_id.clone(),
            bundle_id: asked.bundle_id.clone(),
            project_directory: asked.project_directory.clone(),
            state: row.state,
            lifecycle: row.state.lifecycle(),
            chat_phase: facts.chat_phase(),
            is_idle: facts.is_idle(),
            has_error: row.error.is_some(),
            error: row.error.as_ref().map(|(_, sentence)| sentence.clone()),
            error_kind: row.error.as_ref().map(|(kind, _)| *kind),
            has_checkpoint: row.checkpoint.is_some(),
            created_at: timestamp(row.created_at),
            updated_at: timestamp(row.updated_at),
            at: asked.at.clone(),
            branch: asked.branch.clone(),
            base: asked.base.clone().or_else(|| asked.at.clone()),
            expected_runtime_identity: asked.expected_runtime.clone(),
            runtime: None,
            last_turn_outcome: self.turns.last_outcome(),
            pending_elicitations: Vec::new(),
        }
    }
}
