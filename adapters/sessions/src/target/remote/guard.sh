# The guard of a session's processes, where they run. Given are: session, generation, mode, folder.
#
# Each command of the session carries ACP_SESSIONS_TREE=SESSION.GENERATION.NUMBER. in its
# environment, and so does what it starts. The guard ends by that mark: one command when it is told
# to, all of them when its input ends. A connection that is gone ends it at once; one that only
# looks alive is found out by the beats that do not come.
#
# It needs sh, cat, awk, grep, mktemp, sleep, and /proc.

LC_ALL=C
export LC_ALL
# Nobody listens any more: that is when it has most to do.
trap '' HUP PIPE
mark=$session.$generation

# The processes that carry the mark, all below them, and all in sessions that those lead.
marked() {
    {
        grep -lszF -- "ACP_SESSIONS_TREE=$1" /proc/[0-9]*/environ
        echo
        cat /proc/[0-9]*/stat 2>/dev/null
    } | awk '
        /^$/ && !stats { stats = 1; next }
        !stats { split($0, part, "/"); found[part[3]] = 1; next }
        { pid = $1; sub(/^.*\) /, ""); state[pid] = $1; parent[pid] = $2; leader[pid] = $4 }
        END {
            do {
                more = 0
                for (pid in parent)
                    if (!(pid in found) && ((parent[pid] in found) || (leader[pid] in found))) {
                        found[pid] = 1
                        more = 1
                    }
            } while (more)
            for (pid in found)
                if ((pid in state) && state[pid] != "Z") print pid
        }'
}

# Ends them: SIGTERM, a second, SIGKILL. Prints how many are left.
stop() {
    round=0
    while list=$(marked "$1") && [ -n "$list" ]; do
        case $round in
            0) kill -TERM $list 2>/dev/null ;;
            [1-9]) ;;
            [1-9][0-9]) kill -KILL $list 2>/dev/null ;;
            *) break ;;
        esac
        round=$((round + 1))
        sleep 0.1 2>/dev/null || sleep 1
    done
    set -- $list
    echo $#
}

# Ends everything when no beat has come for a while.
watch() {
    last=
    while ACP_SESSIONS_TREE=$mark.0. sleep 60; do
        now=$(cat -- "$beat")
        if [ "$now" = "$last" ]; then
            rm -f -- "$beat"
            stop "$mark." >/dev/null
            kill -KILL $$
        fi
        last=$now
    done
}

case $folder in
    /*) ;;
    *) cd || exit ;;
esac
case $mode in
    make) (umask 077 && mkdir -p -- "$folder/work") && cd -- "$folder" || exit ;;
    find) cd -- "$folder" && cd work && cd .. || exit ;;
    project) cd -- "$folder" || exit ;;
    any) cd -- "$folder" 2>/dev/null || folder= ;;
esac
if [ -n "$folder" ]; then
    folder=$(pwd -P)
fi
cd /

# What an earlier guard has left, for example one that was killed.
left=$(stop "$session.")
if [ "$left" != 0 ]; then
    echo "$left processes of the session cannot be ended" >&2
    exit 1
fi
printf 'acp-sessions-guard %s\n' "$folder"

if beat=$(mktemp); then
    watch </dev/null >/dev/null 2>&1 &
fi
while read -r order argument; do
    case $order in
        beat) test -z "$beat" || echo "$argument" > "$beat" ;;
        # Beside the next orders: it may take a second.
        end) (left=$(stop "$mark.$argument."); echo "ended $argument $left") & ;;
        clear)
            left=$(stop "$mark.")
            if [ "$argument" = remove ] && [ -n "$folder" ] && ! rm -rf -- "$folder"; then
                left=$((left + 1))
            fi
            echo "ended clear $left"
            ;;
    esac
done
stop "$mark." >/dev/null
test -z "$beat" || rm -f -- "$beat"
