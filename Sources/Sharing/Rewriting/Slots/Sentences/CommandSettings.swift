import Captures

/// Settings that a command is started with, in its own line: `API_SECRET=Zk9!wq PORT=80 node server.js --verbose`.
enum CommandSettings {
    /// None where no command follows: a value may have spaces in it in a file of settings.
    static func slots(in line: ArraySlice<UInt8>) -> [Slot] {
        guard line.contains(0x3d) else { return [] }
        var slots: [Slot] = []
        var rest = withoutPrompt(line)
        while let (name, value, end) = setting(opening: rest) {
            slots.append(
                Slot(name: SlotReader.string(name), range: value.startIndex..<value.endIndex)
            )
            rest = line[end...].drop(while: \.isBlank)
            if rest.first == 0x3b { rest = withoutPrompt(rest.dropFirst()) }
        }
        guard !slots.isEmpty else { return [] }
        return slots.count > 1 && rest.allSatisfy { $0 <= 0x20 } || isCommand(rest) ? slots : []
    }

    /// Without `$ ` of a shell, `export` and `env`.
    private static func withoutPrompt(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        prompts.reduce(line.drop(while: \.isBlank)) { rest, prompt in
            rest.starts(with: prompt) ? rest.dropFirst(prompt.count) : rest
        }
    }

    /// In the order in which they stand.
    private static let prompts = ["$ ", "export ", "env "].map { Array($0.utf8) }

    /// A name in capitals with its value, and where that ends; nil where something else begins.
    private static func setting(opening text: ArraySlice<UInt8>) -> (
        name: ArraySlice<UInt8>, value: ArraySlice<UInt8>, end: Int
    )? {
        let name = text.prefix { (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == 0x5f }
        let given = text[name.endIndex...].dropFirst()
        guard !name.isEmpty, text[name.endIndex...].first == 0x3d, let first = given.first else { return nil }
        if first == 0x22 || first == 0x27 {
            guard let end = given.dropFirst().firstIndex(of: first),
                end + 1 == text.endIndex || isEnd(text[end + 1])
            else { return nil }
            return (name, given[(given.startIndex + 1)..<end], end + 1)
        }
        let word = given.prefix { $0 > 0x20 }
        // What ends the command is no part of it.
        let value = word.last == 0x3b && word.endIndex < text.endIndex ? word.dropLast() : word
        return (name, value, value.endIndex)
    }

    private static func isEnd(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x3b }

    /// Whether words are a command, and not the rest of a value: a program, a path, or options behind a word.
    private static func isCommand(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.split(separator: 0x20)
        guard let first = words.first else { return false }
        if joints.contains(SlotReader.string(first)) || first.starts(with: "./".utf8) { return true }
        let program = first.lastIndex(of: 0x2f).map { first[($0 + 1)...] } ?? first
        if programs.contains(SlotReader.string(program)) { return true }
        let isName = first.allSatisfy {
            (0x61...0x7a).contains($0) || $0.isASCIIDigit || [0x2d, 0x2e, 0x2f, 0x5f].contains($0)
        }
        return isName && words.dropFirst().contains { isOption($0) }
    }

    /// `-v`, `--verbose`.
    private static func isOption(_ word: ArraySlice<UInt8>) -> Bool {
        let name = word.drop { $0 == 0x2d }
        return (1...2).contains(word.count - name.count) && name.first.map(\.isASCIILetter) ?? false
    }

    private static let joints: Set<String> = ["&&", "||", "|", ";"]
    private static let programs = Set(
        WordTable.words(
            """
            ansible-playbook aws az bash bun bundle cargo composer curl deno docker dotnet env flask gcloud gradle gunicorn
            helm java jest kubectl mvn mysql node npm npx php pip pnpm podman psql pytest python python3 rails rake redis-cli
            ruby sh sudo terraform uvicorn vault wget yarn zsh
            """
        )
    )
}
