//! The words that instructions are made of, and what each may be.
//!
//! Apart from the rules of sentences, because it is a dictionary: a new verb is one word here.
//!
//! Must stay true: a word is looked up once, in constant time.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word may be; a set of the constants below.
pub(super) type Class = u8;

/// May stand in front of a verb and changes nothing.
pub(super) const FILLER: Class = 1;
/// Starts an instruction wherever it stands.
pub(super) const VERB: Class = 2;
/// Starts an instruction only in front of an object.
pub(super) const NOUN_VERB: Class = 4;
/// Is the first word of an opening of several words.
pub(super) const OPENS: Class = 8;
/// Is a greeting when it stands alone.
pub(super) const GREETING: Class = 16;

/// What `word`, in lower case, may be.
pub(super) fn class(word: &str) -> Class {
    DICTIONARY.get(word).copied().unwrap_or(0)
}

/// Whether `word` is one of the words of `list`, which stand between blanks.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    // The rules ask this a hundred times for each word of a prompt, and most answers are no. A
    // search finds that out many times faster than cutting the list into words does.
    !word.is_empty() && list.contains(word) && list.split(' ').any(|listed| listed == word)
}

static DICTIONARY: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Class> = HashMap::new();
    let lists = [
        (FILLERS, FILLER),
        (VERBS, VERB),
        (NOUN_VERBS, NOUN_VERB),
        (GREETINGS, GREETING),
    ];
    for (list, class) in lists {
        for word in list.split(' ') {
            *words.entry(word).or_default() |= class;
        }
    }
    let openings = OPENINGS.split('|');
    for first in openings.filter_map(|opening| opening.split(' ').next()) {
        *words.entry(first).or_default() |= OPENS;
    }
    words
});

/// Words that may stand in front of a verb and change nothing.
const FILLERS: &str = "please kindly just now also next first firstly second secondly third \
    thirdly fourth finally lastly afterwards afterward subsequently simply only so ok okay well \
    always then and but or to instead immediately quickly carefully directly actually literally \
    pls plz again right alright should must step task & perhaps maybe great perfect meanwhile";

/// Words that are a greeting when they stand alone.
const GREETINGS: &str = "hi hello hey thanks";

/// Openings of several words that change nothing either.
pub(super) const OPENINGS: &str = "could you|can you|would you|will you|i want you to|\
    i would like you to|i'd like you to|i need you to|you should|you must|you have to|\
    you need to|you can|you are to|you may|go ahead and|go ahead|let's|let us|make sure to|\
    make sure you|make sure that you|be sure to|your task is to|your job is to|your task|try to|\
    i want to|i'd like to|i would like to|do me a favour and|do me a favor and|help me|\
    would you mind|you will|after that|after this|in the end|at the end|to finish|to start|\
    to begin|to begin with|for this task|as a next step|as the last step|as a last step|\
    as a first step|as a final step|once done|once finished|when done|when finished|\
    when you are done|when you're done|when you have finished|when it is done|when it's done|\
    once that is done|once that's done|that done|from there|step one|step two|step three|\
    step four|step five|for that|last of all|first of all|and when|dear agent|\
    it is important to|what i want is for you to|all you have to do is|all you need to do is|\
    what you have to do is|don't forget to|do not forget to|feel free to|proceed to|continue to|\
    start by|begin by|start with|begin with|finish by|end by|conclude by|start off by|\
    finish off by|for this check|for this test|the agent has to|the agent should|\
    the agent must|the assistant should|the assistant must|you are expected to|\
    you are supposed to|i wonder|i am wondering|i'm wondering";

/// Words that start an instruction wherever they stand.
const VERBS: &str = "run execute exec launch start perform wait sleep reply answer respond \
    say tell give send finish end conclude confirm acknowledge remember recall memorise \
    memorize keep forget repeat read open cat view show display inspect examine check look load \
    create make write save store put append add delete remove rename move copy replace \
    substitute touch mkdir grep find search locate use call invoke create_plan get_plan fetch \
    get retrieve verify record submit register report return returning describe identify \
    summarise summarize explain count print output switch leave exit let stop quote include \
    pass set fill draft paste note erase come quit take hand write_file read_file shell state \
    query pull work determine";

/// Words that are a verb only in front of an object, and a noun elsewhere.
const NOUN_VERBS: &str = "list name plan file echo type change edit state mention document \
    title begin do spell post provide present";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_listed() {
        let list = "sayings say to aaa aa don't";
        for word in ["sayings", "say", "to", "aaa", "aa", "don't"] {
            assert!(is_listed(list, word), "{word}");
        }
        for word in [
            "", "sayin", "ayings", "ay", "a", "o", "don", "t", "sayingss",
        ] {
            assert!(!is_listed(list, word), "{word}");
        }
        assert!(!is_listed("", "a"));
    }
}
