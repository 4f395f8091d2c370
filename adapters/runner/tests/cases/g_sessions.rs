//! G: models, and sessions that go on.

use serde_json::{Value, json};

use crate::support::{Scene, chunk, processes};

/// A script whose agent has models in the older way, and one with a session option.
fn with_models(script: Value, is_option: bool) -> Value {
    let mut script = script;
    let mut result = json!({"sessionId": "s-1"});
    if is_option {
        result["configOptions"] = json!([
            {"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "x", "options": []},
            {"id": "pick", "name": "Model", "category": "model", "type": "select", "currentValue": "m-1", "options": []},
        ]);
    } else {
        result["models"] = json!({"currentModelId": "m-1", "availableModels": []});
    }
    script["answers"]["session/new"] = json!({"result": result});
    script["refused_models"] = json!(["bad"]);
    script
}

fn set_model(model: &str) -> Value {
    json!({"type": "set_model", "model": model})
}

fn changed(model: &str, previous: Value) -> Value {
    json!({"type": "model_changed", "model": model, "previous": previous})
}

#[test]
fn g01_g02_g06_models_are_told_and_set_in_both_ways() {
    for is_option in [false, true] {
        let scene = Scene::new(&with_models(json!({}), is_option));
        let mut runner = scene.start();
        assert_eq!(
            runner.until_type("model_changed"),
            changed("m-1", Value::Null)
        );
        runner.turn("x");
        runner.send(set_model("bad"));
        let warning = runner.until_type("log");
        assert_eq!(
            warning["message"],
            "set_model bad failed: no such model here"
        );
        runner.send(set_model("m-2"));
        assert_eq!(
            runner.until_type("model_changed"),
            changed("m-2", json!("m-1"))
        );
        runner.send(set_model("m-2"));
        runner.send(set_model(" "));
        let warning = runner.until_type("log");
        assert_eq!(warning["message"], "ignored a set_model without a model");
        let ended = runner.shut_down();
        assert_eq!(ended.of_type("model_changed").len(), 2);
        let method = if is_option {
            "session/set_config_option"
        } else {
            "session/set_model"
        };
        let params = if is_option {
            json!({"sessionId": "s-1", "configId": "pick", "value": "m-2"})
        } else {
            json!({"sessionId": "s-1", "modelId": "m-2"})
        };
        assert!(
            scene
                .received()
                .iter()
                .any(|line| line["method"] == method && line["params"] == params)
        );
    }
}

#[test]
fn g03_without_models_nothing_is_asked() {
    let scene = Scene::new(&json!({}));
    let mut runner = scene.start();
    runner.turn("x");
    runner.send(set_model("m"));
    let warning = runner.until_type("log");
    assert_eq!(
        warning["message"],
        "ignored set_model m: the agent did not advertise model selection at session/new"
    );
    runner.shut_down();
    assert!(!scene.methods().contains(&"session/set_model".to_owned()));
}

#[test]
fn g04_the_model_of_the_settings() {
    for is_option in [false, true] {
        let scene = Scene::new(&with_models(json!({}), is_option)).env("COLONIZER_MODEL", "m-2");
        let mut runner = scene.start();
        runner.turn("x");
        let ended = runner.shut_down();
        let models: Vec<Value> = ended
            .of_type("model_changed")
            .into_iter()
            .cloned()
            .collect();
        assert_eq!(
            models,
            [changed("m-1", Value::Null), changed("m-2", json!("m-1"))]
        );
        let asked = scene
            .methods()
            .iter()
            .filter(|method| method.starts_with("session/set_"))
            .count();
        assert_eq!(asked, 1);
    }
    let scene = Scene::new(&json!({})).env("COLONIZER_MODEL", "m-2");
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(ended.log("warn").len(), 1);
    assert!(ended.log("warn")[0].starts_with("ignored COLONIZER_MODEL m-2: "));
}

#[test]
fn g05_an_interrupt_does_not_wait_for_a_model() {
    let mut script = with_models(json!({}), false);
    script["answers"]["session/set_model"] = Value::Null;
    script["prompts"] = json!([[chunk("a"), {"wait_cancel": 1}, {"stop": "cancelled"}]]);
    let scene = Scene::new(&script);
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    runner.send(set_model("m-2"));
    runner.interrupt();
    assert_eq!(
        runner.until_type("turn_end")["result"],
        "interrupted by the user"
    );
    runner.shut_down();
}

/// A model that is chosen before the agent has shaken hands, and one before a message: both are the
/// model of the next turn, however long the agent takes to answer.
#[test]
fn a_model_is_chosen_before_the_turn_behind_it() {
    for is_option in [false, true] {
        let scene = Scene::new(&json!({}));
        let (hands, model) = (scene.at("hands"), scene.at("model"));
        let wait = json!([{"wait_file": model}]);
        let mut script = with_models(json!({"prompts": [[chunk("a")]]}), is_option);
        script["before"] = json!({
            "session/new": [{"wait_file": hands}],
            "session/set_model": wait,
            "session/set_config_option": wait,
        });
        scene.script(&script);
        let mut runner = scene.start();
        runner.send(set_model("m-1"));
        runner.send(set_model("m-2"));
        runner.say("1", "x");
        runner.until_type("user_message");
        std::fs::write(hands, "").unwrap();
        processes::until("the agent is asked", || {
            let methods = scene.methods();
            methods
                .iter()
                .any(|method| method.starts_with("session/set_"))
        });
        // Commands are served meanwhile.
        runner.say("2", "y");
        runner.until(|event| event["id"] == "2");
        std::fs::write(model, "").unwrap();
        runner.until_type("turn_end");
        runner.until_type("turn_end");
        runner.until_state("idle");
        let ended = runner.shut_down();
        assert_eq!(ended.log("warn"), Vec::<&str>::new());
        let outline = ended.outline();
        let last = outline.iter().rposition(|name| name == "model_changed");
        let first = outline.iter().position(|name| name == "working");
        assert!(last < first, "{outline:?}");
        let models = ended.of_type("model_changed");
        assert_eq!(models[1], &changed("m-2", json!("m-1")));
        assert_eq!(models.len(), 2);
    }
}

#[test]
fn g06_a_change_between_turns_is_told_too() {
    let scene = Scene::new(&json!({}));
    let gate = scene.at("gate");
    let option =
        json!([{"id": "pick", "category": "model", "type": "select", "currentValue": "m-7"}]);
    let late = json!({"sessionUpdate": "config_option_update", "configOptions": option});
    let cost = json!({"sessionUpdate": "usage_update", "cost": {"amount": 0.5, "currency": "USD"}});
    scene.script(&with_models(
        json!({"prompts": [
            [{"stop": "end_turn"}, {"wait_file": gate}, {"update": cost}, {"update": late}],
            [chunk("b")],
        ]}),
        true,
    ));
    let mut runner = scene.start();
    runner.turn("x");
    std::fs::write(gate, "").unwrap();
    runner.until(|event| *event == changed("m-7", json!("m-1")));
    assert_eq!(runner.turn("y")["cost_usd"], 0.5);
    runner.shut_down();
}

#[test]
fn g06_a_change_that_the_agent_tells() {
    let option =
        json!([{"id": "pick", "category": "model", "type": "select", "currentValue": "m-7"}]);
    let update =
        json!({"update": {"sessionUpdate": "config_option_update", "configOptions": option}});
    let scene = Scene::new(&with_models(json!({"prompts": [[update]]}), true));
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(
        ended.of_type("model_changed")[1],
        &changed("m-7", json!("m-1"))
    );
}

/// A script whose agent loads sessions.
fn loads(mut script: Value) -> Value {
    let capabilities = json!({"loadSession": true});
    script["answers"]["initialize"] =
        json!({"result": {"protocolVersion": 1, "agentCapabilities": capabilities}});
    script
}

#[test]
fn g07_a_session_goes_on() {
    let scene = Scene::new(&loads(json!({})));
    let mut runner = scene.start();
    assert_eq!(runner.until_type("agent_session")["session_id"], "s-1");
    runner.turn("x");
    runner.shut_down();
    let before = scene.methods().len();

    let mut script = loads(
        json!({"before": {"session/load": [chunk("old"), chunk("history")]}, "prompts": [[chunk("new")]]}),
    );
    script["answers"]["session/load"] = json!({"result": {"models": {"currentModelId": "m-1"}}});
    scene.script(&script);
    let scene = scene.env("COLONIZER_RESUME_SESSION", "s-1");
    let mut runner = scene.start();
    assert_eq!(runner.turn("y")["result"], "new");
    runner.send(set_model("m-2"));
    runner.until(|event| *event == changed("m-2", json!("m-1")));
    let ended = runner.shut_down();
    assert_eq!(
        scene.methods()[before..],
        [
            "initialize",
            "session/load",
            "session/prompt",
            "session/set_model"
        ]
    );
    let outline = ended.outline();
    let place = |kind: &str| outline.iter().position(|name| name == kind).unwrap();
    assert!(place("agent_session") < place("model_changed"));
    assert!(place("model_changed") < place("working"));
    assert_eq!(ended.of_type("assistant_text_delta").len(), 1);
}

#[test]
fn g08_a_loaded_session_may_have_another_id() {
    let mut script = loads(json!({}));
    script["answers"]["session/load"] = json!({"result": {"sessionId": "renamed"}});
    let scene = Scene::new(&script).env("COLONIZER_RESUME_SESSION", "old");
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("agent_session")[0]["session_id"], "renamed");
    let prompt = scene
        .received()
        .into_iter()
        .find(|line| line["method"] == "session/prompt");
    assert_eq!(prompt.unwrap()["params"]["sessionId"], "renamed");
}

#[test]
fn g09_g10_what_cannot_be_loaded_begins_anew() {
    let refused = json!({"error": {"code": -32002, "message": "no such session"}});
    let mut script = loads(json!({}));
    script["answers"]["session/load"] = refused;
    for (script, is_announced, words) in [
        (
            json!({}),
            false,
            "cannot resume session old: the agent does not advertise loadSession",
        ),
        (
            script,
            true,
            "could not resume session old (no such session); a fresh session starts instead",
        ),
    ] {
        let scene = Scene::new(&script).env("COLONIZER_RESUME_SESSION", "old");
        let mut runner = scene.start();
        runner.turn("x");
        let ended = runner.shut_down();
        assert_eq!(ended.log("warn").len(), 1);
        assert!(
            ended.log("warn")[0].starts_with(words),
            "{:?}",
            ended.log("warn")
        );
        assert_eq!(
            scene.methods().contains(&"session/load".to_owned()),
            is_announced
        );
        assert_eq!(
            ended.of_type("agent_session").len(),
            usize::from(is_announced)
        );
    }
}

#[test]
fn a_session_is_resumed_where_only_that_is_offered() {
    let capabilities = json!({"sessionCapabilities": {"resume": {}}});
    let scene = Scene::new(&json!({"answers": {
        "initialize": {"result": {"protocolVersion": 1, "agentCapabilities": capabilities}},
        "session/resume": {"result": {}},
    }}))
    .env("COLONIZER_RESUME_SESSION", "old");
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(
        scene.methods(),
        ["initialize", "session/resume", "session/prompt"]
    );
    assert_eq!(ended.of_type("agent_session")[0]["session_id"], "old");
    processes::none_left(&scene.token);
}
