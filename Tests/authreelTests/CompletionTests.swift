import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import authreel

/// What the shells complete once `make install` has put the scripts into place.
struct CompletionTests {
    /// An argument without a kind of completion gets none at all, other than by the shell itself.
    @Test func filesAndFoldersAreCompleted() {
        let script = Authreel.completionScript(for: .zsh)
        let silent = script.matches(of: /:(CAPTURE|FILE|FILE\.har|FILE\.xml|DIR):'/).map {
            String($0.output.0)
        }
        #expect(silent == [])
        #expect(script.contains(":CAPTURE:_files'"))
    }

    @Test func rulesAndFaultsAreCompleted() {
        let script = Authreel.completionScript(for: .fish)
        #expect(script.contains("pkce-verifier-mismatch"))
        #expect(script.contains("userinfo-sub-mismatch"))
    }

    private static let shells: [(name: String, shell: CompletionShell, marks: [String])] = [
        ("bash", .bash, ["\ncomplete -o filenames -F _authreel_words authreel"]),
        (
            "zsh", .zsh,
            [
                "        '*:::COMMAND:_normal'\n", "    _authreel && ret=0\n", "'--format=[text, json",
                "'*--only=[", "{--out=,-o}'[",
                "\n_authreel_jwt() {\n    local -i ret=1\n    if [[ \"${words[2]}\" != (decode|verify) && ",
            ]
        ),
        (
            "fish", .fish,
            [
                "-xa '(__authreel_complete_behind --)'", "\"authreel jwt\" -ge 1' -F\n",
                "    set -l token (string replace ",
                "        case 'jwt'\n            if not contains -- \"$unparsed_tokens[2]\" decode verify\n",
            ]
        ),
    ]

    /// What the parser's scripts leave out: files behind jwt, commands behind help, another command behind record.
    @Test(arguments: shells.indices) func whatTheParserLeavesOutIsCompleted(_ index: Int) throws {
        let (name, shell, marks) = Self.shells[index]
        let written = Authreel.completionScript(for: shell)
        let script = CompletionScript.completed(written)
        for mark in marks { #expect(script.contains(mark) && !written.contains(mark), "\(name): \(mark)") }
        if name == "zsh" {
            let jwt = try #require(script.components(separatedBy: "\n_authreel_jwt() {").last)
            let body = try #require(jwt.components(separatedBy: "\n}\n").first)
            #expect(body.components(separatedBy: "_files && ret=0").count == 2)
            #expect(script.contains("'--headless[") && script.contains("{--verbose,-v}'["))
        }
    }

    /// What `jwt` means without a command is `decode`.
    @Test(arguments: [
        (["jwt", "--jw"], "--jwks"), (["jwt", "token.txt", "--iss"], "--issuer"),
        (["jwt", "verify", "--aud"], "--audience"), (["jwt", "ver"], "verify"),
    ])
    func bashCompletesTheOptionsOfJWT(words: [String], completed: String) throws {
        let script = """
            \(CompletionScript.completed(Authreel.completionScript(for: .bash)))
            cd /
            COMP_WORDS=(authreel \(words.joined(separator: " "))) COMP_CWORD=\(words.count)
            COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE}
            _authreel_words authreel "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            echo "${COMPREPLY[@]}"
            """
        let result = try Program.run([], executable: "/bin/bash", input: Array(script.utf8))
        #expect(result.output == "\(completed)\n", "\(result.output)\(result.errors)")
    }

    private static let fish = "/usr/bin/fish"

    /// The same in fish, where it is installed, and folders behind `=`.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: fish)),
        arguments: [
            ("jwt --jw", "--jwks"), ("jwt token.txt --iss", "--issuer"), ("jwt verify --aud", "--audience"),
            ("jwt ver", "verify"), ("jwt --format js", "json"), ("ca path --ca-dir=/us", "--ca-dir=/usr/"),
        ]
    )
    func fishCompletesTheOptionsOfJWT(words: String, completed: String) throws {
        let script = """
            \(CompletionScript.completed(Authreel.completionScript(for: .fish)))
            cd /
            complete -C 'authreel \(words)' | string replace -r '\\t.*' ''
            """
        let result = try Program.run(["--no-config"], executable: Self.fish, input: Array(script.utf8))
        #expect(result.output == "\(completed)\n", "\(result.output)\(result.errors)")
    }

    @Test func otherTextsStayAsTheyAre() {
        let help = Authreel.helpMessage()
        #expect(CompletionScript.completed(help) == help)
        #expect(CompletionScript.completed("") == "")
    }
}
