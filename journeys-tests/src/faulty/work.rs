//! What a turn does for each request, and where a fault does something else.

use std::fs;

use serde_json::{Value, json};

use super::{
    colour,
    faults::Fault,
    modes::Mode,
    output::stderr,
    request::{Request, understand},
    store::Speaker,
    tools::Ended,
    turn::{Turn, Work},
};

impl Turn {
    /// Does what the prompt asks for.
    pub fn work(&self, request: &Request) -> Work {
        let reply = match request {
            Request::Remember { reply, .. } | Request::Reply(reply) => reply.clone(),
            Request::Recall => self.recall(),
            Request::Look { file } => self.look(file),
            Request::Run(command) => return self.command(command),
            Request::Plan { command, title } => return self.plan(command, title),
            Request::Play(scenario) => return self.play(*scenario),
            Request::Unknown => self.answer_or_nothing(),
        };
        if self.stop.asked() {
            return Work::Cancelled;
        }
        Work::Reply(reply)
    }

    fn recall(&self) -> String {
        if self.behaviour().has(Fault::OtherSessionWord) {
            return "The word is WORD-OF-ANOTHER-SESSION.".to_owned();
        }
        let said = self.session.said();
        let word = said
            .iter()
            .rev()
            .find_map(|said| match understand(&said.text) {
                Request::Remember { word, .. } if said.by == Speaker::User => Some(word),
                _ => None,
            });
        word.map_or_else(
            || "You gave me no word.".to_owned(),
            |word| format!("The word is {word}."),
        )
    }

    /// Words after a question are its answer.
    fn answer_or_nothing(&self) -> String {
        let said = self.session.said();
        let last = said.last().filter(|said| said.by == Speaker::Agent);
        if last.is_some_and(|said| said.text.ends_with('?')) {
            return self.uses_answer(&self.text());
        }
        "I do not understand these words.".to_owned()
    }

    fn look(&self, file: &str) -> String {
        let word = if self.behaviour().has(Fault::FileIgnored) {
            "not known".to_owned()
        } else {
            fs::read_to_string(file).unwrap_or_else(|error| error.to_string())
        };
        let image = self.prompt.iter().find(|block| block["type"] == "image");
        let colour = match image.and_then(|block| block["data"].as_str()) {
            Some(_) if self.behaviour().has(Fault::ImageIgnored) => "blue",
            Some(data) => colour::of_png(data),
            None => "not there",
        };
        format!("The file holds: {}. The image is {colour}.", word.trim())
    }

    fn command(&self, command: &str) -> Work {
        if self.behaviour().has(Fault::RegularTurnIdle) {
            return Work::Reply("Done.".to_owned());
        }
        match self.run_command(command) {
            Ended::Done(_) => Work::Reply("Done.".to_owned()),
            Ended::Failed(reason) => Work::Reply(format!("That failed: {reason}")),
            Ended::Cancelled => Work::Cancelled,
        }
    }

    fn plan(&self, command: &str, title: &str) -> Work {
        let output = match self.run_command(command) {
            Ended::Done(Value::String(output)) => output,
            Ended::Cancelled => return Work::Cancelled,
            Ended::Done(_) | Ended::Failed(_) => return self.cannot_plan("the command failed"),
        };
        self.touch_workspace(command);
        let lost = self.behaviour().has(Fault::PlanNotCreated)
            || self.behaviour().has(Fault::FirstPlanLost) && self.number == 1
            || self.behaviour().has(Fault::SecondPlanLost) && self.number > 1;
        if lost {
            return Work::Reply("The plan is saved as plan-1.".to_owned());
        }
        let Some(server) = self.session.servers.first() else {
            return self.cannot_plan("there is no tool create_plan");
        };
        let title = match self.behaviour().fault {
            Some(Fault::WrongTitle) => "My plan",
            _ => title,
        };
        let description = match self.behaviour().fault {
            Some(Fault::NoOutputInPlan) => "The plan is to do it.".to_owned(),
            Some(Fault::CommandInPlan) => format!("Output of `{command}`"),
            _ => format!("What the file holds:\n{output}"),
        };
        let plan = json!({"title": title, "description": description});
        let id = match self.call_tool(server, "create_plan", plan) {
            Ended::Done(created) => created["id"].as_str().unwrap_or_default().to_owned(),
            Ended::Failed(reason) => return self.cannot_plan(&reason),
            Ended::Cancelled => return Work::Cancelled,
        };
        let wanted = match self.behaviour().fault {
            Some(Fault::WrongPlanId) => "plan-0000000000000000",
            _ => id.as_str(),
        };
        if !self.behaviour().has(Fault::PlanNotReadBack)
            && self.call_tool(server, "get_plan", json!({"id": wanted})) == Ended::Cancelled
        {
            return Work::Cancelled;
        }
        if self.behaviour().has(Fault::ReplyWithoutPlanId) {
            return Work::Reply("The plan is saved.".to_owned());
        }
        Work::Reply(format!("The plan is saved as {id}."))
    }

    fn cannot_plan(&self, reason: &str) -> Work {
        Work::Reply(format!("I could not save the plan: {reason}."))
    }

    /// In [`Mode::Work`] a plan is also written into the workspace; in [`Mode::Plan`] only a fault
    /// touches it.
    fn touch_workspace(&self, command: &str) {
        let draft = self.session.cwd.join("PLAN.md");
        let planning = self.session.mode() == Mode::Plan;
        let done = match self.behaviour().fault {
            _ if !planning => fs::write(&draft, "# Plan\n"),
            Some(Fault::PlanWrites) => fs::write(&draft, "# Plan\n"),
            Some(Fault::SecondPlanWrites) if self.number > 1 => fs::write(&draft, "# Plan\n"),
            Some(Fault::PlanWritesAndDeletes) => {
                fs::write(&draft, "# Plan\n").and_then(|()| fs::remove_file(&draft))
            }
            Some(Fault::PlanWritesBeside) => {
                fs::write(self.session.cwd.join("../PLAN.md"), "# Plan\n")
            }
            Some(Fault::PlanChangesAndRestores) => self.change_and_restore(command),
            Some(Fault::RunsRefused) => {
                let _ = self.run_command("touch PLAN.md");
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = done {
            stderr(&format!("the workspace cannot be changed: {error}\n"));
        }
    }

    fn change_and_restore(&self, command: &str) -> std::io::Result<()> {
        let name = command.trim_start_matches("cat ");
        let file = self.session.cwd.join(name);
        let content = fs::read(&file)?;
        let written = fs::metadata(&file)?.modified()?;
        fs::write(&file, "changed")?;
        fs::write(&file, content)?;
        fs::File::options()
            .write(true)
            .open(&file)?
            .set_modified(written)
    }
}
