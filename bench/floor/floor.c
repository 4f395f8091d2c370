/*
 * The floor: what an ACP agent costs when it does nothing but answer.
 *
 * It speaks to the bench alone and trusts it: members come in a fixed order, texts need no
 * unescaping, lines are short. It finds what it needs by searching, answers with prepared text
 * and keeps no memory of what was said. So its numbers are what the pipes, the kernel and the
 * bench itself cost, and the ratio agent/floor is what the agent adds.
 *
 * What it does not save on: the commands it runs are real, it waits until every process below them
 * is gone before it answers, and it leaves nothing behind when it ends.
 *
 * ACP: https://agentclientprotocol.com/protocol/v1/overview
 * Man pages: ppoll(2), posix_spawn(3), prctl(2) PR_SET_CHILD_SUBREAPER, waitpid(2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * ---- Output: each message is written by itself, as soon as it is whole. ----
 *
 * A model's words come one by one. A responder that holds them back to write many at once is
 * faster, but it does not stream, so it would be no floor for one that does.
 */

static char out[8 * 1024];
static size_t out_length;

static void flush(void)
{
    for (size_t done = 0; done < out_length;) {
        ssize_t n = write(1, out + done, out_length - done);
        if (n < 0 && errno != EINTR)
            _exit(1); /* Nobody reads any more. */
        if (n > 0)
            done += n;
    }
    out_length = 0;
}

static void put(const char *text, size_t length)
{
    if (length > sizeof out - out_length)
        flush();
    memcpy(out + out_length, text, length);
    out_length += length;
}

#define PUT(literal) put(literal, sizeof literal - 1)
#define END_MESSAGE(literal) (PUT(literal "\n"), flush())

static void put_number(unsigned long n)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = '0' + n % 10;
    while (n /= 10);
    put(digits + at, sizeof digits - at);
}

/* ---- Input: pieces of a line. ---- */

struct piece {
    const char *at;
    size_t length;
};

/* What stands between `before` and the next `end`; empty when it is not there. */
static struct piece find(const char *line, const char *before, const char *end)
{
    const char *at = strstr(line, before);
    if (at == NULL)
        return (struct piece){"", 0};
    at += strlen(before);
    return (struct piece){at, strcspn(at, end)};
}

static int is(struct piece piece, const char *text)
{
    return piece.length == strlen(text) && memcmp(piece.at, text, piece.length) == 0;
}

static void put_piece(struct piece piece)
{
    put(piece.at, piece.length);
}

/* ---- Messages. ---- */

static void begin_answer(struct piece id)
{
    PUT("{\"jsonrpc\":\"2.0\",\"id\":");
    put_piece(id);
    PUT(",\"result\":");
}

static void answer_stop(struct piece id, const char *reason)
{
    begin_answer(id);
    PUT("{\"stopReason\":\"");
    put(reason, strlen(reason));
    END_MESSAGE("\"}}");
}

/* Everything of a text chunk before its text. */
static size_t chunk_head(char *head, size_t room, struct piece session, const char *kind)
{
    return snprintf(head, room,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
                    "\"%.*s\",\"update\":{\"sessionUpdate\":\"%s\",\"content\":{\"type\":\"text\","
                    "\"text\":\"",
                    (int)session.length, session.at, kind);
}

#define CHUNK_TAIL "\"}}}}"

static void stream_numbers(struct piece session, unsigned long last)
{
    char head[512];
    size_t length = chunk_head(head, sizeof head, session, "agent_message_chunk");
    for (unsigned long n = 1; n <= last; n++) {
        put(head, length);
        put_number(n);
        END_MESSAGE("\\n" CHUNK_TAIL);
    }
}

static void replay(struct piece session, unsigned long turns)
{
    char user[512], agent[512];
    size_t user_length = chunk_head(user, sizeof user, session, "user_message_chunk");
    size_t agent_length = chunk_head(agent, sizeof agent, session, "agent_message_chunk");
    while (turns-- > 0) {
        put(user, user_length);
        END_MESSAGE("Reply with exactly OK and nothing else." CHUNK_TAIL);
        put(agent, agent_length);
        END_MESSAGE("OK" CHUNK_TAIL);
    }
}

/* ---- Commands: real processes, one for each prompt that asked for one. ---- */

struct command {
    pid_t leader; /* also its process group; 0 when the place is free */
    int cancelled;
    char id[64];
    char session[64];
};

static struct command commands[64];
#define COMMANDS (sizeof commands / sizeof *commands)

static void start_command(struct piece id, struct piece session, struct piece words)
{
    struct command *free_place = NULL;
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].leader == 0)
            free_place = &commands[i];
    if (free_place == NULL || words.length > 4000) {
        answer_stop(id, "refusal");
        return;
    }
    snprintf(free_place->id, sizeof free_place->id, "%.*s", (int)id.length, id.at);
    snprintf(free_place->session, sizeof free_place->session, "%.*s", (int)session.length,
             session.at);
    free_place->cancelled = 0;

    char text[4096];
    snprintf(text, sizeof text, "%.*s", (int)words.length, words.at);
    char *arguments[] = {"sh", "-c", text, NULL};
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (posix_spawn(&free_place->leader, "/bin/sh", &files, &how, arguments, environ) != 0) {
        free_place->leader = 0;
        answer_stop(id, "refusal");
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
}

static struct command *command_of(pid_t leader)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].leader == leader)
            return &commands[i];
    return NULL;
}

/*
 * Ends the processes that a command lost: those that left its group. As a subreaper we are their
 * parent once the command is dead, so they are our children that lead no command.
 */
static void sweep(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    for (int found = 1; found;) {
        found = 0;
        FILE *children = fopen(path, "r");
        if (children == NULL)
            return;
        for (int pid; fscanf(children, "%d", &pid) == 1;)
            if (command_of(pid) == NULL) {
                found = 1;
                kill(pid, SIGKILL);
                waitpid(pid, NULL, 0);
            }
        fclose(children);
    }
}

static void reap(void)
{
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) {
        struct command *command = command_of(pid);
        if (command == NULL)
            continue;
        command->leader = 0;
        if (command->cancelled)
            sweep();
        answer_stop((struct piece){command->id, strlen(command->id)},
                    command->cancelled ? "cancelled" : "end_turn");
    }
}

static void cancel(struct piece session)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].leader != 0 && is(session, commands[i].session)) {
            commands[i].cancelled = 1;
            kill(-commands[i].leader, SIGKILL);
        }
}

static void end(void)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].leader != 0) {
            kill(-commands[i].leader, SIGKILL);
            waitpid(commands[i].leader, NULL, 0);
            commands[i].leader = 0;
            sweep();
        }
    exit(0);
}

/* ---- The methods. ---- */

static void prompt(struct piece id, struct piece session, const char *line)
{
    struct piece words = find(line, "shell command `", "`");
    if (words.length > 0) {
        start_command(id, session, words);
        return;
    }
    struct piece last = find(line, "numbers from 1 to ", ",");
    if (last.length > 0) {
        stream_numbers(session, strtoul(last.at, NULL, 10));
    } else {
        char head[512];
        put(head, chunk_head(head, sizeof head, session, "agent_message_chunk"));
        END_MESSAGE("OK" CHUNK_TAIL);
    }
    answer_stop(id, "end_turn");
}

static void handle(const char *line)
{
    static unsigned long sessions;
    struct piece id = find(line, "\"id\":", ",");
    struct piece method = find(line, "\"method\":\"", "\"");
    struct piece session = find(line, "\"sessionId\":\"", "\"");
    if (is(method, "session/prompt")) {
        prompt(id, session, line);
    } else if (is(method, "session/cancel")) {
        cancel(session);
    } else if (is(method, "session/new")) {
        begin_answer(id);
        PUT("{\"sessionId\":\"sess_");
        put_number(++sessions);
        END_MESSAGE("\"}}");
    } else if (is(method, "session/load")) {
        /* The session `turns-N` has N turns. */
        struct piece turns = find(line, "\"sessionId\":\"turns-", "\"");
        replay(session, strtoul(turns.at, NULL, 10));
        begin_answer(id);
        END_MESSAGE("{}}");
    } else if (is(method, "initialize")) {
        begin_answer(id);
        END_MESSAGE("{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}}");
    } else if (id.length > 0) {
        PUT("{\"jsonrpc\":\"2.0\",\"id\":");
        put_piece(id);
        END_MESSAGE(",\"error\":{\"code\":-32601,\"message\":\"the floor has no such method\"}}");
    }
}

/* ---- The loop. ---- */

static volatile sig_atomic_t terminated, child_ended;

static void on_signal(int signal)
{
    if (signal == SIGCHLD)
        child_ended = 1;
    else
        terminated = 1;
}

/* Signals come only while we wait, so that none can slip in between a look and the wait. */
static sigset_t take_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t ours, while_waiting;
    sigemptyset(&ours);
    const int signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaddset(&ours, signals[i]);
        sigaction(signals[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &ours, &while_waiting);
    return while_waiting;
}

int main(void)
{
    static char in[64 * 1024 + 1];
    size_t in_length = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t while_waiting = take_signals();
    for (;;) {
        struct pollfd input = {.fd = 0, .events = POLLIN};
        int ready = ppoll(&input, 1, NULL, &while_waiting);
        if (terminated)
            end();
        if (child_ended) {
            child_ended = 0;
            reap();
        }
        if (ready <= 0)
            continue;
        ssize_t n = read(0, in + in_length, sizeof in - 1 - in_length);
        if (n <= 0)
            end(); /* The end of the input, or a line that is longer than any of the bench. */
        in_length += n;
        char *line = in, *newline;
        while ((newline = memchr(line, '\n', in + in_length - line)) != NULL) {
            *newline = '\0';
            handle(line);
            line = newline + 1;
        }
        in_length -= line - in;
        memmove(in, line, in_length);
    }
}
