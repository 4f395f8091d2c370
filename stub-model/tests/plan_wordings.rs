//! Wordings of the plan journey, of other tools, and of the model's own plan.

mod simulator;

use simulator::{Session, check, fits, plan_tools};
use stub_model::Progress;

const STEPS: &[&str] = &[
    "$ cat notes.txt",
    "plan Trip X9 <The word is WORD-XYZ>",
    "get plan-1",
];

#[test]
fn plan_journeys() {
    let prompts = [
        "Read the file notes.txt with cat. Save a plan with the create_plan tool: title \"Trip X9\", and the output of cat as the description. Read it back with get_plan. Reply with the plan ID and nothing else.",
        "1. Run `cat notes.txt`.\n2. Call create_plan with the title Trip X9 and a description that contains the output of cat.\n3. Call get_plan with the ID of that plan.\n4. Reply with the plan ID.",
        "Use cat to read notes.txt, then save a plan titled \"Trip X9\" whose description is the file's contents, then read the plan back with get_plan, and finish by giving me the ID.",
        "Please do these steps:\n- cat notes.txt\n- create_plan (title: Trip X9, description: the output of cat)\n- get_plan with the id you got\n- answer with the id only",
        "Save a plan called Trip X9 with create_plan. Its description must be the output of `cat notes.txt`. Then read it back with get_plan and tell me the plan's ID.",
        "There is a file notes.txt in the working directory. Read it with the cat command. Then use create_plan to save a plan. Title: Trip X9. Description: the contents of the file, exactly as cat printed them. Then use get_plan to read the plan back. Finally, reply with only the plan ID.",
        "First read notes.txt with cat in the shell; after that create a plan with the title 'Trip X9' and put the file's contents in the description; then fetch it again with get_plan; your final answer must be the plan ID.",
        "You are in plan mode. Do not change any files. Read notes.txt using cat, create a plan named \"Trip X9\" via the create_plan tool with the output as the description, get the plan by its id via get_plan, and respond with the id.",
        "Reply with the plan ID and nothing else. Before that: run cat notes.txt, call create_plan with title=\"Trip X9\" and description=<the output>, and call get_plan.",
        "Plan title: Trip X9\n\nRun cat on notes.txt. Store the output as a plan with create_plan using the title above. Load the plan with get_plan. Answer with its ID.",
        "Run the command cat notes.txt. Save what it prints as the description of a plan titled Trip X9 (use create_plan). Look the plan up again with get_plan. Reply: the plan ID.",
        "With the shell command `cat notes.txt`, read the notes. Then call the tool create_plan. Use \"Trip X9\" as the title and include the full output of cat in the description. Next, call get_plan with the id that create_plan returned. At the end, reply with that id.",
        "Save a plan titled Trip X9 after reading notes.txt with cat; the description has to be what cat printed. Read it back using get_plan and output the plan ID.",
    ];
    let mut faults = Vec::new();
    for prompt in prompts {
        let mut session = Session::new();
        session.mode = "plan".to_owned();
        let turn = session.say(prompt);
        if turn.calls != STEPS || !fits(&turn.answer, "~plan-1") || turn.answer.len() > 40 {
            faults.push(format!("{prompt}\n  {:?} {:?}", turn.calls, turn.answer));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} fail\n{}",
        faults.len(),
        prompts.len(),
        faults.join("\n")
    );
}

#[test]
fn ids_are_taken_from_every_kind_of_result() {
    let prompt = "Cat notes.txt. Save it as a plan titled T1 with create_plan, read it back with get_plan, and reply with the plan id.";
    for (style, prefix, key, id) in [
        ("json", "", "id", "plan-1"),
        ("nested", "rondar_", "planId", "plan-1"),
        ("number", "mcp__rondar__", "plan_id", "1"),
        ("text", "rondar_", "plan_id", "PLAN-1ab"),
    ] {
        let mut session = Session::new();
        session.tools = simulator::own_tools();
        session.tools.extend(plan_tools(prefix, key));
        session.plan_style = style;
        let turn = session.say(prompt);
        assert_eq!(turn.answer, id, "{style}: {turn:?}");
        let get = if prefix.is_empty() {
            format!("get {id}")
        } else {
            format!("{prefix}get_plan {{\"{key}\":\"{id}\"}}")
        };
        assert_eq!(turn.calls[2], get, "{style}");
    }
}

#[test]
fn other_tools() {
    check(&[
        ("CALL next", &["next {}"], "=7"),
        (
            "Call the tool echo with {\"text\": \"hi\"}",
            &["echo {\"text\":\"hi\"}"],
            "=hi",
        ),
        (
            "use the echo tool with text 'hi there'",
            &["echo {\"text\":\"hi there\"}"],
            "=hi there",
        ),
        (
            "Invoke `echo` with text=hi",
            &["echo {\"text\":\"hi\"}"],
            "=hi",
        ),
        ("CALL t.who", &["t_who {}"], "~"),
        (
            "call add with a=2 and b=3",
            &["add {\"a\":2.0,\"b\":3.0}"],
            "~",
        ),
        (
            "call the tool frobnicate",
            &[],
            "~no such tool|frobnicate|echo",
        ),
        (
            "Call the ECHO tool with the text \"x\" and reply with its output.",
            &["echo {\"text\":\"x\"}"],
            "=x",
        ),
    ]);
}

#[test]
fn own_plans() {
    let mut session = Session::new();
    let turn = session.say("make a plan with 3 steps: look around, write it, test it");
    let contents: Vec<&str> = turn.plans[0]
        .iter()
        .map(|entry| entry.content.as_str())
        .collect();
    assert_eq!(contents, ["look around", "write it", "test it"]);
    assert!(turn.calls.is_empty());
    session.mode = "plan".to_owned();
    let turn = session.say("make a plan and start");
    assert_eq!(turn.calls, ["switch_mode {\"mode\":\"default\"}"]);
    assert!(
        turn.plans
            .last()
            .unwrap()
            .iter()
            .all(|entry| entry.status == Progress::Completed)
    );
    session.refused = vec!["switch_mode"];
    let turn = session.say("make a plan and start");
    assert!(
        turn.calls.len() == 1 && turn.answer.contains("not allowed"),
        "{turn:?}"
    );
    let turn = Session::new().say("Switch to accept-edits mode.");
    assert_eq!(turn.calls, ["switch_mode {\"mode\":\"accept-edits\"}"]);
    let turn = Session::new().say("Leave plan mode");
    assert_eq!(turn.calls, ["switch_mode {\"mode\":\"default\"}"]);
}
