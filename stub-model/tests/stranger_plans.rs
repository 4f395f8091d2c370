//! The journey with a plan, as the authors of other harnesses word it.

mod simulator;

use simulator::check_plans;

#[test]
fn in_sentences() {
    check_plans(
        "/w/brief.txt",
        "Plan 5F-21",
        &[
            "Read the file /w/brief.txt with the cat command. Then save a plan with the create_plan tool: the title is \"Plan 5F-21\" and the description is the output of cat. Then read the plan back with the get_plan tool. Reply with the plan ID and nothing else.",
            "You are in plan mode. Do not change any file. Use the shell to run `cat /w/brief.txt`. Call create_plan with title \"Plan 5F-21\" and the output as description. Call get_plan with the ID it returned. Reply with that ID only.",
            "Please read /w/brief.txt by running cat, create a plan (title: \"Plan 5F-21\", description: the exact output of cat) using create_plan, call get_plan to read it back, and finally reply with just the ID.",
            "Run `cat /w/brief.txt`. Its output is the description of a new plan titled \"Plan 5F-21\". Save that plan with create_plan and read it back with get_plan. What is the plan ID? Reply with the ID only.",
            "First, run cat /w/brief.txt. Second, call create_plan with the title 'Plan 5F-21' and with that output as the description. Finally, call get_plan and reply with the plan ID.",
            "Save a plan entitled \"Plan 5F-21\" via the create_plan tool. Its description must be what `cat /w/brief.txt` prints. After saving, fetch it using get_plan and send me the plan's ID, only the ID.",
            "Using cat, read /w/brief.txt. Using create_plan, save a plan with title \"Plan 5F-21\" and the text you read as its description. Using get_plan, read the plan back. Your reply: the plan ID, nothing else.",
            "I need a plan saved. Title: Plan 5F-21. Description: the output of the shell command cat /w/brief.txt. Tools: create_plan to save, get_plan to read back. Reply with the plan ID.",
            "Take the result of the command `cat /w/brief.txt`, put it in the description of a plan named \"Plan 5F-21\", save the plan with create_plan, verify it with get_plan, and output the ID of the plan in a single line.",
            "The file /w/brief.txt must be read with cat. A plan titled \"Plan 5F-21\" must then be saved with create_plan, with the output of cat as the description. The plan must be read back with get_plan. Reply with the plan ID.",
            "Read /w/brief.txt with cat, then use create_plan to save a plan whose title is \"Plan 5F-21\" and whose description is the file's contents, then use get_plan to read back the plan you saved, then reply with the plan's ID and no other text.",
            "cat /w/brief.txt → create_plan (title \"Plan 5F-21\", description = that output) → get_plan (id from the previous step) → reply with the id only",
            "Would you please cat /w/brief.txt, save the output as the description of a plan titled “Plan 5F-21” with create_plan, read it back with get_plan, and reply with the ID of the plan?",
            "In this turn you plan only. Read the file /w/brief.txt using the command cat /w/brief.txt, and save its output as the description of a plan with the title Plan 5F-21, using the tool create_plan. Read back the plan using the tool get_plan. Reply with the plan ID.",
            "Use the rondar tools. Save what cat prints for /w/brief.txt as a plan: call create_plan with title=\"Plan 5F-21\" and description=<the output>. Then call get_plan with the returned plan ID. Then reply with this ID exactly.",
        ],
    );
}

#[test]
fn in_lists() {
    check_plans(
        "/w/brief.txt",
        "Plan 5F-21",
        &[
            "Do these steps in order:\n1. Read the file /w/brief.txt with the command cat.\n2. Save a plan with the tool create_plan. Title: Plan 5F-21. Description: the output of cat.\n3. Read the plan back with the tool get_plan.\n4. Reply with the plan ID.",
            "Step 1: `cat /w/brief.txt`\nStep 2: call `create_plan` with `title` = \"Plan 5F-21\" and `description` = the output of step 1\nStep 3: call `get_plan` with the plan ID\nStep 4: reply with the plan ID only",
            "## Task\n\n- Read `/w/brief.txt` with `cat`.\n- Call `create_plan`:\n  - title: `Plan 5F-21`\n  - description: the output of `cat`\n- Call `get_plan` with the ID of the plan.\n- Reply with the ID. Do not add anything else.",
            "<steps>\n<step>Run cat /w/brief.txt</step>\n<step>Call create_plan with the title \"Plan 5F-21\" and the output of cat as the description</step>\n<step>Call get_plan with the plan ID</step>\n<step>Reply with the plan ID</step>\n</steps>",
            "Plan mode is on. Please:\n\n(1) run `cat /w/brief.txt`;\n(2) create_plan with title \"Plan 5F-21\" and description set to the output;\n(3) get_plan for the new plan;\n(4) reply with the plan ID and nothing else.",
            "Steps:\n* cat /w/brief.txt\n* create_plan, title \"Plan 5F-21\", description: whatever cat printed\n* get_plan with the id you got\n* answer with that id",
            "1) Use the shell tool to run: cat /w/brief.txt\n2) Use create_plan to save a plan. The title has to be \"Plan 5F-21\". The description has to be the full output of the command.\n3) Use get_plan to load the plan.\n4) Your final message must contain only the plan ID.",
            "title: Plan 5F-21\ndescription: output of `cat /w/brief.txt`\n\nSave a plan with this title and description (create_plan). Read it back (get_plan). Reply with its ID.",
            "A. Read /w/brief.txt using cat\nB. Save the plan \"Plan 5F-21\" (description = output of A) using create_plan\nC. Read it back using get_plan\nD. Reply with the plan ID",
        ],
    );
}

#[test]
fn titles_and_files_of_other_shapes() {
    check_plans(
        "data/nested/deep/source-text.md",
        "Fix: don't break v2.0!",
        &[
            "Read data/nested/deep/source-text.md with cat, save a plan with create_plan (title \"Fix: don't break v2.0!\", description: the output of cat), read it back with get_plan, reply with the plan ID.",
            "Run `cat data/nested/deep/source-text.md`. Then call create_plan. The title is \"Fix: don't break v2.0!\". The description is the output of cat. Then call get_plan. Reply with the plan ID.",
        ],
    );
    check_plans(
        "brief.txt",
        "PLAN-xyz_01",
        &[
            "cat brief.txt, save it with create_plan titled PLAN-xyz_01, read it back with get_plan, reply with the plan id",
            "Use cat to read brief.txt and save a plan with create_plan. Use PLAN-xyz_01 as the title and the output of cat as the description. Read the plan back with get_plan and reply with the plan ID.",
        ],
    );
    check_plans(
        "./in put/brief v1.2.txt",
        "Rondar plan, second turn",
        &[
            "Read the file \"./in put/brief v1.2.txt\" with cat. Save a plan with create_plan: title \"Rondar plan, second turn\", description the output of cat. Read it back with get_plan and reply with the plan ID.",
        ],
    );
    check_plans(
        "/workspace/plan-source.txt",
        "Say \"hi\" (twice)",
        &[
            "Read /workspace/plan-source.txt with cat. Save a plan with create_plan; its title is 'Say \"hi\" (twice)' and its description is the output. Read the plan back with get_plan. Reply with the plan ID.",
        ],
    );
}
