# Completes svc and svc-app-publish in fish. Load it with:  svc completion fish | source
function __svc_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l of
    # The one svc beside it answers for both.
    if string match -q '*svc-app-publish' -- $program
        set of --of svc-app-publish
        set program (string replace -r -- '-app-publish$' '' $program)
    end
    set -l lines ($program complete $of -- $words[2..-1] $typed 2>/dev/null)
    set -l start (string match -r -- '^--[a-z-]+=' $typed)
    set -q start[1]; or set start ''
    set -l path (string replace -r -- '^--[a-z-]+=' '' $typed)
    switch "$lines[1]"
        case files
            for each in (__fish_complete_path "$path")
                echo -- $start$each
            end
        case folders
            for each in (__fish_complete_directories "$path" '')
                echo -- $start$each
            end
        case words
            if test (count $lines) -gt 1
                printf '%s\n' $lines[2..-1]
            end
    end
end
complete -c svc -f -a '(__svc_complete)'
complete -c svc-app-publish -f -a '(__svc_complete)'
