#!/usr/bin/env bash
# Runs the journeys on an agent that nobody has to trust: in a container, or in a sandbox where there
# is no container engine. `./run.sh --help` says how; docs/containers.md says what the agent sees.
#
# What must stay true, whichever engine it is:
#  - the agent sees its own folder, read-only, a fresh /tmp and a fresh home, and nothing of its caller;
#  - there is no network unless --network is given;
#  - it is not root, and its processes and its memory are bounded;
#  - the value of an --env stands on no command line;
#  - nothing is left when this script ends, however it ends.

# Not -u: the bash of macOS takes an empty array for an unset one.
set -eo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

# Bounds of one run, in bytes and in processes. An agent with a JIT and its tool servers needs some
# hundred megabytes and some dozen threads; these only stop one that runs away.
memory=4294967296
scratch=1073741824
processes=1024

agent_home=/home/agent
agent_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
image=${ACP_JOURNEYS_IMAGE:-acp-journeys}
engine=
agent_dir=
network=false
out=.
options=()
reports=()
env_names=()
env_values=()
login_from=()
login_to=()

usage() {
    cat <<'TEXT'
Runs the journeys on an agent, in a container without a network, and writes result.json.

    ./run.sh --agent-dir ./my-agent -- /agent/bin/my-agent --acp

  --agent-dir DIR    the agent's folder; the agent sees it as /agent, read-only
  --network          give the agent a network (default: none but a loopback of its own)
  --login PATH       a folder or a file with the agent's login, read-only, where the agent looks for
                     it: ~/.my-agent becomes .my-agent in the agent's home; may be repeated
  --login PATH:NAME  the same, as NAME in the agent's home
  --env K=V          an environment variable for the agent; may be repeated
  --env K            the same, with the value that it has here
  --out DIR          where result.json goes (default: the current folder)
  --only NAME        run only this journey; may be repeated
  --repeat N         run everything N times and say what is flaky; each time has its own result file
  --html, --junit    write result.html or result.xml, too
  --engine NAME      docker, podman, bubblewrap or unshare (default: the first of them that works)
  --image NAME       the image for docker and podman (default: acp-journeys, built if it is missing)
  --no-container     run the agent on this machine as it is; the result says so
  --help             this text

Exit status: 0 all journeys pass, 1 a journey failed, 2 could not run.
TEXT
}

say() { printf 'run.sh: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 2
}

# --- what is asked for

add_env() {
    local name=${1%%=*} value=${1#*=}
    [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || die "--env: '$name' is not the name of a variable"
    if [ "$name" = "$1" ]; then
        [ -n "${!name+set}" ] || die "--env $name: it is not set here; say --env $name=VALUE"
        value=${!name}
    fi
    case $name in
        # The engines are found by the PATH of this script, so the agent's goes another way.
        PATH) agent_path=$value ;;
        HOME | UID | EUID | PPID | BASHOPTS | SHELLOPTS | ACP_JOURNEYS_*) die "--env: $name cannot be set" ;;
        *) env_names+=("$name") env_values+=("$value") ;;
    esac
}

# Where an agent looks for its login is known by where it lies here: below the home.
add_login() {
    local from=${1%%:*} to home
    [ -e "$from" ] || die "--login: there is no '$from'"
    [[ $from == /* ]] || from=$PWD/$from
    to=$(basename "$from")
    for home in "$HOME" "$(cd "$HOME" && pwd -P)"; do
        [[ $from != "${home%/}"/* ]] || to=${from#"${home%/}"/}
    done
    [[ $1 != *:* ]] || to=${1#*:}
    to=${to%/}
    case /$to/ in
        // | //* | */../* | */./*) die "--login: '$to' is no name in the agent's home; say --login PATH:NAME" ;;
    esac
    login_from+=("$(readlink -f "$from")")
    login_to+=("$to")
}

while [ $# -gt 0 ]; do
    case $1 in
        --network) network=true ;;
        --no-container) engine=none ;;
        --html) reports+=(html) ;;
        --junit) reports+=(xml) ;;
        -h | --help)
            usage
            exit 0
            ;;
        --)
            shift
            break
            ;;
        --agent-dir | --login | --env | --out | --only | --repeat | --engine | --image)
            [ $# -ge 2 ] || die "$1 needs a value"
            case $1 in
                --agent-dir) agent_dir=$2 ;;
                --login) add_login "$2" ;;
                --env) add_env "$2" ;;
                --out) out=$2 ;;
                --only | --repeat) options+=("$1" "$2") ;;
                --engine) engine=$2 ;;
                --image) image=$2 ;;
            esac
            shift
            ;;
        *) die "'$1' is not known here; the agent's command goes after --, see --help" ;;
    esac
    shift
done
agent=("$@")

[ -n "$agent_dir" ] || die "--agent-dir is missing, see --help"
[ -d "$agent_dir" ] || die "--agent-dir: there is no folder '$agent_dir'"
[ ${#agent[@]} -gt 0 ] || die "the agent's command is missing: -- /agent/bin/my-agent --acp"
if ! mkdir -p "$out" || [ ! -w "$out" ]; then die "--out: nothing can be written in '$out'"; fi
agent_dir=$(cd "$agent_dir" && pwd -P)
out=$(cd "$out" && pwd -P)

# --- a place for the run, and its end

child=
container=
state=$(mktemp -d "${TMPDIR:-/tmp}/acp-journeys-run.XXXXXX")

clean_up() {
    trap '' INT TERM HUP
    if [ -n "$container" ]; then
        "$engine" kill "$container" >/dev/null 2>&1 || true
        "$engine" rm --force "$container" >/dev/null 2>&1 || true
    fi
    if [ -n "$child" ]; then
        # Without a sandbox only the checker itself can end what it started; a sandbox ends with it.
        if [ "$engine" = none ]; then kill -TERM "$child"; else kill -KILL "$child"; fi 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    rm -rf "$state"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# The agent runs as the caller, who can read its folder. Root becomes a user that owns nothing.
user=$(id -u)
group=$(id -g)
is_root=false
if [ "$user" -eq 0 ]; then
    is_root=true
    user=10001
    group=10001
fi
mkdir "$state/out" "$state/root"
# Programs ask for the name and the home of their user.
echo "agent:x:$user:$group:agent:$agent_home:/bin/sh" >"$state/passwd"
echo "agent:x:$group:" >"$state/group"
chmod 644 "$state/passwd" "$state/group"
! $is_root || chown "$user:$group" "$state/out"

# The folders between the agent's home and its logins: the agent may write in them as in its home.
login_parents=()
for login in "${login_to[@]}"; do
    parent=
    while [[ $login == */* ]]; do
        parent+=${parent:+/}${login%%/*}
        login=${login#*/}
        [[ " ${login_parents[*]} " == *" $agent_home/$parent "* ]] || login_parents+=("$agent_home/$parent")
    done
done

# --- the engines: each makes `sandbox`, the words before the words of the checker

# prepare_container PROGRAM: for docker and podman.
prepare_container() {
    local tmpfs="rw,exec,nosuid,nodev,mode=1777,size=$scratch" folder index
    for folder in "$agent_dir" "$state" "${login_from[@]}"; do
        [[ $folder != *:* ]] || die "$engine takes no path with a colon: $folder"
    done
    container=acp-journeys-$$-$RANDOM
    sandbox=("$engine" run --rm --name "$container" --pull never --init
        --user "$user:$group" --read-only --cap-drop ALL --security-opt no-new-privileges
        --pids-limit "$processes" --memory "$memory"
        --workdir "$agent_home" --env "HOME=$agent_home" --env "PATH=$agent_path"
        --env "ACP_JOURNEYS_ISOLATION=$isolation"
        --volume "$agent_dir:/agent:ro" --volume "$state/out:/out"
        --volume "$state/passwd:/etc/passwd:ro" --volume "$state/group:/etc/group:ro")
    $network || sandbox+=(--network none)
    for folder in /tmp "$agent_home" "${login_parents[@]}"; do sandbox+=(--tmpfs "$folder:$tmpfs"); done
    for index in "${!login_to[@]}"; do
        sandbox+=(--volume "${login_from[index]}:$agent_home/${login_to[index]}:ro")
    done
    # By its name alone, so that no value stands on a command line.
    for index in "${!env_names[@]}"; do sandbox+=(--env "${env_names[index]}"); done
    if [ "$engine" = podman ] && ! $is_root; then sandbox+=(--userns keep-id); fi
    # With SELinux a container may not read folders of the caller, and relabelling them is not for us.
    [ ! -e /sys/fs/selinux/enforce ] || sandbox+=(--security-opt label=disable)
    sandbox+=(--entrypoint "$1" "$image")
}

# What a sandbox sees of this machine, read-only, beside /usr.
system_folders=(bin sbin lib lib32 lib64 libx32)
system_files=(alternatives ca-certificates hosts ld.so.cache ld.so.conf ld.so.conf.d localtime
    nsswitch.conf pki ssl)

# Sets `scrub`: the words that start a program with the variables that were asked for and no others.
prepare_scrub() {
    local variable
    scrub=(env)
    while IFS= read -r -d '' variable; do
        [[ " ${env_names[*]} " == *" ${variable%%=*} "* ]] || scrub+=(-u "${variable%%=*}")
    done < <(env -0)
    scrub+=("HOME=$agent_home" "PATH=$agent_path" "ACP_JOURNEYS_ISOLATION=$isolation")
}

# Sets `limits`: the words that bound what follows them and take its rights away. Inside the sandbox,
# where the processes are counted from nought. The kernel forgets who is to die with whom when a process
# changes its user, so that is said last.
prepare_limits() {
    limits=(prlimit "--nproc=$processes" "--data=$memory" setpriv --no-new-privs --pdeathsig KILL)
    ! $is_root || limits+=(--reuid "$user" --regid "$group" --clear-groups --bounding-set=-all --inh-caps=-all)
}

# prepare_bubblewrap PROGRAM
prepare_bubblewrap() {
    local folder file index
    prepare_scrub
    prepare_limits
    sandbox=("${scrub[@]}" "$(command -v bwrap)" --die-with-parent --new-session
        --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try --hostname acp-journeys
        --cap-drop ALL --ro-bind /usr /usr --proc /proc --dev /dev --perms 755 --dir /etc)
    if $is_root; then
        # Root needs no user namespace, and three rights to become somebody else.
        sandbox+=(--cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP)
    else
        sandbox+=(--unshare-user)
    fi
    for folder in "${system_folders[@]}"; do
        if [ -L "/$folder" ]; then
            sandbox+=(--symlink "$(readlink "/$folder")" "/$folder")
        else
            sandbox+=(--ro-bind-try "/$folder" "/$folder")
        fi
    done
    for file in "${system_files[@]}"; do sandbox+=(--ro-bind-try "/etc/$file" "/etc/$file"); done
    if $network; then
        sandbox+=(--ro-bind-try "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf)
    else
        sandbox+=(--unshare-net)
    fi
    for folder in /tmp /dev/shm "$agent_home"; do
        sandbox+=(--perms 1777 --size "$scratch" --tmpfs "$folder")
    done
    for folder in "${login_parents[@]}"; do sandbox+=(--perms 1777 --dir "$folder"); done
    for index in "${!login_to[@]}"; do
        sandbox+=(--ro-bind "${login_from[index]}" "$agent_home/${login_to[index]}")
    done
    sandbox+=(--ro-bind "$state/passwd" /etc/passwd --ro-bind "$state/group" /etc/group
        --ro-bind "$agent_dir" /agent --ro-bind "$programs" /checker --bind "$state/out" /out
        --remount-ro / --chdir "$agent_home" -- "${limits[@]}" "$1")
}

# prepare_unshare PROGRAM
prepare_unshare() {
    local spaces=(--mount --pid --ipc --uts --fork --kill-child)
    prepare_scrub
    prepare_limits
    $network || spaces+=(--net)
    if ! $is_root; then
        # Root of a user namespace may mount; another one inside it makes the caller of root again.
        spaces+=(--user --map-root-user)
        limits=(unshare --user "--map-user=$user" "--map-group=$group" "${limits[@]}")
    fi
    # A session of its own has no terminal to write to. unshare dies with this script, and what runs in
    # it with unshare.
    sandbox=("${scrub[@]}" "$(command -v setsid)" "$(command -v setpriv)" --pdeathsig KILL
        "$(command -v unshare)" "${spaces[@]}" "$BASH" -c "$(declare -f enter_root)
            $(declare -p state agent_dir agent_home programs network scratch)
            $(declare -p system_folders system_files login_parents login_from login_to)
            enter_root \"\$@\"" bash "${limits[@]}" "$1")
}

# enter_root COMMAND...: makes a root of read-only binds and changes into it. Runs in the namespaces.
enter_root() {
    set -e
    local root=$state/root name index
    read_only() { # FROM TO
        if [ -d "$1" ]; then mkdir -p "$2"; else : >"$2"; fi
        mount --rbind "$1" "$2"
        mount -o remount,bind,ro "$2"
    }
    fresh() { # FOLDER
        mkdir -p "$1"
        mount -t tmpfs -o "nosuid,nodev,mode=1777,size=$scratch" tmpfs "$1"
    }
    hostname acp-journeys || true
    $network || ip link set lo up || echo 'run.sh: the loopback stays down: ip (iproute2) is missing' >&2
    mount -t tmpfs -o mode=755 tmpfs "$root"
    cd "$root"
    mkdir dev etc old out proc
    read_only /usr usr
    for name in "${system_folders[@]}"; do
        if [ -L "/$name" ]; then
            ln -s "$(readlink "/$name")" "$name"
        elif [ -d "/$name" ]; then
            read_only "/$name" "$name"
        fi
    done
    ! $network || system_files+=(resolv.conf)
    for name in "${system_files[@]}"; do
        [ ! -e "/etc/$name" ] || read_only "$(readlink -f "/etc/$name")" "etc/$name"
    done
    for name in null zero full random urandom; do
        : >"dev/$name"
        mount --bind "/dev/$name" "dev/$name"
    done
    ln -s /proc/self/fd dev/fd
    for name in tmp dev/shm "${agent_home#/}"; do fresh "$name"; done
    for name in "${login_parents[@]}"; do mkdir -m 1777 ".$name"; done
    for index in "${!login_to[@]}"; do
        read_only "${login_from[index]}" ".$agent_home/${login_to[index]}"
    done
    read_only "$state/passwd" etc/passwd
    read_only "$state/group" etc/group
    read_only "$agent_dir" agent
    read_only "$programs" checker
    mount --bind "$state/out" out
    mount -t proc proc proc
    pivot_root . old
    umount -l /old
    rmdir /old
    mount -o remount,bind,ro /
    cd "$agent_home"
    unset OLDPWD
    exec "$@"
}

# --- which engine

not_built="the checker is not built: run 'make build' first"

# Sets `programs`: the folder of the checker's programs for what runs without an image.
find_programs() {
    local found
    programs=${ACP_JOURNEYS_PROGRAMS:-}
    [ -z "$programs" ] || return 0
    for found in "${CARGO_TARGET_DIR:-$here/target}"/{debug,release,*/release}/acp-journeys; do
        if [ -x "$found" ] && [ -x "${found%/*}/mcp-tools" ]; then
            [[ -n $programs && ! $found -nt $programs/acp-journeys ]] || programs=${found%/*}
        fi
    done
    [ -n "$programs" ] || return 1
}

# works ENGINE: a client without its daemon is no engine, and a sandbox is asked by entering it.
works() {
    engine=$1
    case $engine in
        docker | podman) command -v "$engine" >/dev/null && "$engine" info >/dev/null 2>&1 ;;
        bubblewrap)
            command -v bwrap >/dev/null && find_programs && prepare_bubblewrap true &&
                "${sandbox[@]}" >/dev/null 2>&1 </dev/null
            ;;
        unshare)
            command -v unshare >/dev/null && find_programs && prepare_unshare true &&
                "${sandbox[@]}" >/dev/null 2>&1 </dev/null
            ;;
        none) find_programs || die "$not_built" ;;
        *) die "--engine: '$engine' is none of docker, podman, bubblewrap, unshare" ;;
    esac
}

pick_engine() {
    local candidate
    for candidate in docker podman bubblewrap unshare; do
        ! works "$candidate" || return 0
    done
    engine=none
    die "nothing here can keep an agent apart: docker, podman, bubblewrap and unshare are missing or refused.
  Install one:  apt-get install podman    or, much smaller, bubblewrap   (Debian, Ubuntu)
                dnf install podman        or  dnf install bubblewrap     (Fedora)
  bubblewrap and unshare also need 'make build', and, unless you are root, user namespaces: see
  sysctl kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns.
  To run the agent on this machine as it is: --no-container"
}

# Docker and podman run an image: the one that is here, else the one that the Dockerfile makes.
need_image() {
    ! "$engine" image inspect "$image" >/dev/null 2>&1 || return 0
    [ -f "$here/Dockerfile" ] || die "there is no image '$image' here, and no Dockerfile to build it from"
    say "building the image $image; this is done once and needs the network"
    "$engine" build --tag "$image" "$here" >&2 || die "the image cannot be built; see above"
}

# --- the run

# launch COMMAND...: runs it with the asked-for variables in its environment. In the background, so
# that a signal is answered at once. Sets `status`.
launch() {
    (
        for _index in "${!env_names[@]}"; do export "${env_names[_index]}=${env_values[_index]}"; done
        exec "$@"
    ) </dev/null &
    child=$!
    status=0
    wait "$child" || status=$?
    child=
}

# Takes what the checker wrote. The agent could write in that folder too: plain files are taken, and
# nothing else.
take_results() {
    local made
    for made in "$state"/out/result*.json "$state"/out/result.html "$state"/out/result.xml; do
        if [ -f "$made" ] && [ ! -L "$made" ]; then
            ! $is_root || chown --reference="$out" "$made"
            mv -f "$made" "$out/"
            say "wrote $out/${made##*/}"
        fi
    done
}

if [ -n "$engine" ]; then
    if ! works "$engine"; then
        case $engine in bubblewrap | unshare) find_programs || die "$not_built" ;; esac
        die "--engine: $engine does not work here"
    fi
else
    pick_engine
fi
isolation="$engine, no network"
! $network || isolation="$engine, with a network"
folder=/out
case $engine in
    docker | podman)
        say "running with $isolation"
        need_image
        prepare_container /usr/local/bin/acp-journeys
        ;;
    bubblewrap | unshare)
        say "running with $isolation; the agent sees /usr of this machine, read-only"
        "prepare_$engine" /checker/acp-journeys
        ;;
    none)
        say "running on this machine as it is: the agent can do what you can"
        folder=$state/out
        sandbox=("$programs/acp-journeys")
        agent=("${agent[@]/#\/agent\//$agent_dir/}")
        [ ${#login_to[@]} -eq 0 ] || say "--login has no effect: the agent sees your own home"
        ;;
esac
for name in "${env_names[@]}"; do options+=(--secret-env "$name"); done
if [ "$engine" != none ]; then
    for login in "${login_to[@]}"; do options+=(--secret-path "$agent_home/$login"); done
fi
for report in "${reports[@]}"; do options+=("--${report/#xml/junit}" "$folder/result.$report"); done

# An old verdict must not be taken for this one.
rm -f "$out/result.json"
launch "${sandbox[@]}" run "${options[@]}" --json "$folder/result.json" -- "${agent[@]}"
# Anything else is not the checker's word: the engine's own trouble, or a checker that was killed.
[ "$status" -le 2 ] || die "the checker did not run to its end (exit status $status of $engine)"
container=
take_results
[ "$status" -eq 0 ] || exit "$status"
