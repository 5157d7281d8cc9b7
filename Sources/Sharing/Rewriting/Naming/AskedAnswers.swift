import Captures

/// What somebody answers in a conversation who is asked how they sign in: `{"text": "What is your username?"}, {"text": "ada"}`.
enum AskedAnswers {
    /// The slots, of which an answer of one word is called by the question before it.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        let messages = slots.indices.filter {
            !slots[$0].isNumber && members.contains(slots[$0].name.lowercased())
        }
        guard messages.count > 1 else { return slots }
        var slots = slots
        for (question, answer) in zip(messages, messages.dropFirst())
        where slots[question].object != slots[answer].object {
            guard let name = asked(by: text[slots[question].range]),
                isAnswer(text[slots[answer].range], of: name, to: text[slots[question].range])
            else { continue }
            slots[answer].name = name
        }
        return slots
    }

    private static let members: Set<String> = ["body", "content", "message", "text"]
    /// In bytes, of a question.
    private static let longest = 160

    /// What somebody is asked for; nil for other questions.
    private static func asked(by text: ArraySlice<UInt8>) -> String? {
        guard text.count <= longest, let last = text.last(where: { $0 > 0x20 }), last == 0x3f || last == 0x3a
        else { return nil }
        let words = SlotReader.string(text).lowercased().split { !$0.isLetter }.map(String.init)
        // `Forgot your password?` asks for none.
        guard words.contains("your"), !words.contains(where: { $0.hasPrefix("forg") || $0 == "reset" }) else {
            return nil
        }
        if words.contains(where: SecretRoles.saysPassword) { return "password" }
        return words.contains { $0 == "username" || $0 == "login" } ? "username" : nil
    }

    private static func isAnswer(
        _ text: ArraySlice<UInt8>,
        of name: String,
        to question: ArraySlice<UInt8>
    ) -> Bool {
        let word = SlotReader.string(text)
        guard !SureWords.isCommon(word), !SecretRoles.isWord(word), !AccountNames.isWord(word) else {
            return false
        }
        // Forms have words of a page behind their labels: `Your password:`, `Sign-in`; `Your username:`, `continue`.
        let isPlain = text.allSatisfy { $0.isASCIILetter || "-_'/.:".utf8.contains($0) }
        guard name != "password" else { return !isPlain && SignInCall.mayBeSecret(text) }
        return PairSlots.isAccount(text) && text.allSatisfy { !isCapital($0) }
            && (!isPlain || question.contains(0x3f))
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
}
