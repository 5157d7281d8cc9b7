/// The scripts for the shells' completions: those of the parser, with what they do not complete.
enum CompletionScript {
    /// `text`: what the parser prints and is a script, or anything else, which stays as it is.
    static func completed(_ text: String) -> String {
        if text.hasPrefix("#!/bin/bash\n") { return text + "\n" + bash }
        if text.hasPrefix("#compdef ") { return zsh(text) }
        if text.hasPrefix("function __authreel_") { return fish(text) }
        return text
    }

    /// Values behind `=` (`--format=json`); files behind `jwt`, and the options of `jwt decode`, which it means without a command; commands
    /// behind `help`, another command behind `record --`.
    private static func zsh(_ text: String) -> String {
        var name = ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            if let begun = line.wholeMatch(of: /(_authreel[a-z_]*)\(\) \{/) { name = String(begun.output.1) }
            switch (name, line) {
            case ("_authreel_record", "        '*:COMMAND:'"): return "        '*:::COMMAND:_normal'"
            case ("_authreel_jwt", "        _describe -V subcommand subcommands && ret=0"):
                return line + "\n        _files && ret=0"
            case ("_authreel_jwt", "    local -i ret=1"):
                return line + "\n" + zshDecode
            case ("_authreel_help", #"    _arguments -w -s -S : "${arg_specs[@]}" && ret=0"#):
                return "    _authreel && ret=0"
            default: break
            }
            guard line.contains("]:") else { return String(line) }
            return String(line).replacing(/^( +'[^-']*--[a-z-]+)\[/) { "\($0.output.1)=[" }
                .replacing(/\{([^}]*--[a-z-]+)([,}])/) { "{\($0.output.1)=\($0.output.2)" }
        }
        return lines.joined(separator: "\n")
    }

    private static let zshDecode = #"""
            if [[ "${words[2]}" != (decode|verify) && ( ${CURRENT} -gt 2 || "${words[2]}" = -* ) ]]; then
                _authreel_jwt_decode
                return
            fi
        """#

    private static let bash = #"""
        # Around the script above: bash takes ":" and "=" for ends of words, what stands behind "--" is another command, "jwt" takes files
        # without a command as well, and "help" takes commands.
        _authreel_words() {
            local -i index
            if [[ "${COMP_WORDS[1]}" = record ]]; then
                for ((index = 2; index < COMP_CWORD; index++)); do
                    [[ "${COMP_WORDS[index]}" = -- ]] || continue
                    if declare -F _command_offset >/dev/null; then
                        _command_offset "$((index + 1))"
                    elif ((index + 1 == COMP_CWORD)); then
                        mapfile -t COMPREPLY < <(compgen -A command -A file -- "${2}")
                    else
                        mapfile -t COMPREPLY < <(compgen -A file -- "${2}")
                    fi
                    return
                done
            fi

            local -a words=()
            local rest="${COMP_LINE}" word
            for ((index = 0; index <= COMP_CWORD; index++)); do
                word="${COMP_WORDS[index]}"
                if ((index > 0)) && [[ "${rest}" != [[:space:]]* && "${COMP_WORDS[index - 1]}${word}" = *[:=]* ]]; then
                    words[-1]+="${word}"
                else
                    rest="${rest#"${rest%%[![:space:]]*}"}"
                    words+=("${word}")
                fi
                rest="${rest#"${word}"}"
            done
            local -r typed="${words[-1]}"
            if [[ "${typed}" = --*=* ]]; then
                words[-1]="${typed%%=*}"
                words+=("${typed#*=}")
            fi
            if [[ "${words[1]}" = help ]] && ((${#words[@]} > 2)); then
                words=("${words[0]}" "${words[@]:2}")
            fi
            # Without a command it is "decode": behind a token, or where an option is asked for.
            if [[ "${words[1]}" = jwt && ! "${words[2]}" =~ ^(decode|verify)$ ]] && ((${#words[@]} > 2)) \
                && [[ ${#words[@]} -gt 3 || "${words[2]}" = -* ]]; then
                words=("${words[0]}" jwt decode "${words[@]:2}")
            fi

            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="$((${#words[@]} - 1))"
            local cur="${words[-1]}"
            _authreel "${words[0]}" "${cur}" "${words[-2]}"
            if [[ "${words[1]}" = jwt && ${#words[@]} -eq 3 ]]; then
                __authreel_add_completions -f
            fi

            # Only what stands behind the last of the signs is replaced.
            local signs="${COMP_WORDBREAKS//[!:=]/}"
            if [[ -n "${signs}" && "${cur}" = *["${signs}"]* ]]; then
                COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*["${signs}"]}"}"}")
            fi
        }

        complete -o filenames -F _authreel_words authreel
        """#

    /// Folders behind `=`, the options of `jwt decode` behind `jwt`, and what follows the script.
    private static func fish(_ text: String) -> String {
        text.replacing(
            "    set -l token (commandline -t)\n",
            with: "    set -l token (string replace -r -- '^-[^=]*=' '' (commandline -t))\n"
        )
        .replacing("        case 'jwt'\n", with: "        case 'jwt'\n\(fishDecode)\n") + "\n" + fishRest
    }

    private static let fishDecode = #"""
                    if not contains -- "$unparsed_tokens[2]" decode verify
                        and test -n "$unparsed_tokens[2]" -o "$(string sub -l 1 -- (commandline -ct))" = -
                        set unparsed_tokens jwt decode $unparsed_tokens[2..]
                    end
        """#

    private static let fishRest = #"""
        # "jwt" takes files without a command as well, "help" takes commands, and what stands behind "--" is another command.
        function __authreel_complete_behind
            set -l words (commandline -opc)
            set words $words[(math (contains -i -- $argv[1] $words) + 1)..]
            test $argv[1] = help; and set -p words authreel
            complete -C "$(string join ' ' -- (string escape -- $words) (commandline -ct))"
        end
        complete -c 'authreel' -n '__authreel_should_offer_completions_for_positional "authreel jwt" -ge 1' -F
        complete -c 'authreel' -n 'test "$(commandline -opc)[2]" = help' -xa '(__authreel_complete_behind help)'
        complete -c 'authreel' -n 'test "$(commandline -opc)[2]" = record; and contains -- -- (commandline -opc)' -xa '(__authreel_complete_behind --)'
        """#
}
