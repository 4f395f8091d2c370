//! A word told and asked for, as the authors of other harnesses do it.

mod simulator;

use simulator::{Session, check_memories, fits};

const TOLD: &str = "Remember this word: WORD-5D0C77E1. Reply with exactly ACK and nothing else.";

#[test]
fn questions() {
    let questions = [
        "What word did I ask you to remember? Reply with the word and nothing else.",
        "Please give me the word that you were told to remember. No other text.",
        "Reply with only the word you were asked to remember.",
        "Earlier in this conversation I gave you a word to remember. Reply with exactly that word and nothing else.",
        "What is the word that I told you to remember?",
        "Which word was I talking about in my previous message? Reply with that word only.",
        "Now tell me the word.",
        "Time to recall: which word did you have to remember? Do not add anything else.",
        "Repeat the word from my earlier message back to me, verbatim.",
        "Return the remembered word. Only the word. No punctuation.",
        "Without using any tools, tell me the word I asked you to remember.",
        "You were given a word to remember. What was it?",
        "<question>What was the word?</question>",
        "The word that I asked you to remember - what is it?",
        "State, in a single line, the word you have been asked to keep.",
        "Do you still remember the word? If so, reply with it and nothing else.",
        "This session was reloaded. Which word did I ask you to remember before? Answer with the word only.",
        "I've just restarted you. Please tell me which word I had asked you to remember.",
        "Question: what word did I tell you?\nAnswer with just that word.",
        "Please reply with the word I asked you to remember earlier, exactly as I wrote it.",
        "Can you remind me what the word was?",
        "Write the word I gave you at the beginning of our conversation.",
    ];
    let rows: Vec<_> = questions.map(|question| (TOLD, question)).into();
    check_memories("WORD-5D0C77E1", &rows);
}

#[test]
fn tellings() {
    let tellings = [
        "Please remember the following word: `kestrel_42`. Reply only with ACK.",
        "I'm going to give you a word to remember. The word is kestrel_42. When you have it, reply with exactly ACK.",
        "Remember the word 'kestrel_42' for the rest of this session. Respond with ACK and nothing else.",
        "Memorize: kestrel_42. Respond with exactly \"ACK\".",
        "Your word is kestrel_42. Remember it. Say ACK and nothing more.",
        "Here's a word: kestrel_42.\nRemember it; you will be asked for it later.\nReply with exactly ACK and nothing else.",
        "Word to remember: kestrel_42\n\nReply with exactly ACK.",
        "Store this word for later: kestrel_42. Do not write it to a file. Reply with exactly ACK and nothing else.",
        "<word>kestrel_42</word>\nRemember the word above. Reply with exactly ACK and nothing else.",
        "1. Remember this word: kestrel_42\n2. Reply with exactly ACK and nothing else",
        "- Word: kestrel_42\n- Remember it\n- Reply with exactly: ACK",
        "You will need to recall the word kestrel_42 later on. For now reply with ACK only.",
        "Make a note of the word kestrel_42, I'll ask about it in a moment. Please just answer ACK.",
        "Bear this word in mind: \"kestrel_42\". Answer ACK, no punctuation.",
        "The secret word for this session is kestrel_42. Acknowledge with ACK.",
        "Please commit kestrel_42 to memory and confirm with ACK.",
        "Remember kestrel_42. Reply ACK.",
        "It is essential that you remember this word: kestrel_42. Reply with exactly ACK and nothing else.",
        "I want you to keep the word kestrel_42 in mind until I ask for it. Reply with just the three letters ACK.",
    ];
    let rows: Vec<_> = tellings
        .map(|telling| (telling, "What was the word I asked you to remember?"))
        .into();
    check_memories("kestrel_42", &rows);
}

#[test]
fn words_of_other_shapes() {
    for word in [
        "kestrel",
        "7c0de1f2-9a4b-4c3d-8e2f-0123456789ab",
        "deadbeef",
        "a1b2c3d4",
        "word-9f3a77c1",
        "Zebra",
        "blue-lantern",
    ] {
        let telling =
            format!("Remember this word: {word}. Reply with exactly ACK and nothing else.");
        let other = format!("Please remember the word {word} and reply with exactly ACK.");
        let question = "What was the word I asked you to remember? Reply with only that word.";
        check_memories(word, &[(&telling, question), (&other, question)]);
    }
}

#[test]
fn facts_and_requests() {
    let rows: &[(&[&str], &str)] = &[
        (&["remember K=42", "what is K"], "~42"),
        (&["Remember that K equals 42.", "What does K equal?"], "~42"),
        (&["Remember: K = 42", "What's the value of K?"], "=42"),
        (
            &[
                "Please remember that the value of K is 42.",
                "Tell me the value of K.",
            ],
            "~42",
        ),
        (
            &[
                "The code word is LYNX. Now run: sleep 30",
                "What is the code word? Reply with it only.",
            ],
            "=LYNX",
        ),
        (
            &[
                "Our code word is LYNX. Run `sleep 30` now.",
                "what's our code word",
            ],
            "~LYNX",
        ),
        (
            &["run echo a", "reply TWO", "list my last two requests"],
            "~run echo a|reply TWO",
        ),
        (
            &["run echo a", "reply TWO", "What were my last two requests?"],
            "~run echo a|reply TWO",
        ),
        (
            &[
                "reply ONE",
                "reply TWO",
                "Show me the two previous prompts I sent.",
            ],
            "~reply ONE|reply TWO",
        ),
        (
            &["reply ONE", "What was my previous message?"],
            "~reply ONE",
        ),
    ];
    let mut faults = Vec::new();
    for (prompts, wanted) in rows {
        let mut session = Session::new();
        let mut last = String::new();
        for prompt in *prompts {
            last = session.say(prompt).answer;
        }
        if !fits(&last, wanted) {
            faults.push(format!("{prompts:?}: {last:?}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} fail\n{}",
        faults.len(),
        rows.len(),
        faults.join("\n")
    );
}
