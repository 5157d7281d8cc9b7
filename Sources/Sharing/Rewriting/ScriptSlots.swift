import Captures

/// Strings and numbers of JSON and of scripts.
enum ScriptSlots {
    /// Strings and numbers with the name of the member that they belong to.
    ///
    /// By its tokens alone, so that scripts, several documents and torn ones are read as well.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var name = ""
        /// As it stands, also where `name` is what the value beside it is called.
        var member = ""
        /// The objects around.
        var objects: [OpenObject] = []
        var index = text.startIndex
        func add(_ slot: Slot) {
            slots.append(slot)
            guard let object = objects.indices.last else { return }
            let key = member.lowercased()
            if let chosen = objects[object].chosen(slots.count - 1, called: key) {
                slots[chosen.slot].name = chosen.name
            }
            if Self.naming.contains(key) || Self.describing.contains(key), !slot.isNumber {
                let own = SlotReader.string(TextCoding.escapes.decoded(text[slot.range]).bytes)
                guard objects[object].says(own, in: slots.count - 1, called: key) else { return }
                guard let value = objects[object].value else { return }
                slots[value].name = own
                slots[slots.count - 1].name = ""
            } else if Self.valued.contains(key)
                || objects[object].saysPassword && Self.perhapsValued.contains(key)
            {
                // What says the name is no value of it.
                if let said = objects[object].saidIn { slots[said].name = "" }
                if let said = objects[object].said { slots[slots.count - 1].name = said }
                objects[object].value = slots.count - 1
            }
        }
        /// The last bracket that is open, and the word before it where a call begins.
        var bracket: UInt8 = 0
        var callee = ""
        while index < text.endIndex {
            let byte = text[index]
            if [0x5b, 0x5d, 0x28, 0x29].contains(byte) {
                bracket = byte
                if byte == 0x28 { callee = word(before: index, in: text) }
                // What a call gave a name to is behind it.
                if byte == 0x29, !callee.isEmpty { (name, callee) = ("", "") }
                index += 1
            } else if byte == 0x27, isLiteral(at: index, in: text),
                let end = endOfString(text, from: index + 1)
            {
                let next = text[(end + 1)...].prefix(64).first { $0 > 0x20 }
                let own = SlotReader.string(TextCoding.escapes.decoded(text[(index + 1)..<end]).bytes)
                if next == 0x3a || bracket == 0x28 && next == 0x2c && Self.storing.contains(callee) {
                    (name, member) = (own, own)
                } else {
                    // An argument of a call is no value of what was named before.
                    let isNamed = bracket != 0x28 || Self.storing.contains(callee) || isValue(index, in: text)
                    add(
                        Slot(
                            name: isNamed ? name : "",
                            range: (index + 1)..<end,
                            coding: .escapes,
                            kind: isNamed ? kind(of: name) : nil
                        )
                    )
                }
                index = end + 1
            } else if byte == 0x7b {
                bracket = byte
                objects.append(OpenObject(name: objects.count < 256 ? name : ""))
                index += 1
            } else if byte == 0x7d {
                name = objects.popLast()?.name ?? ""
                bracket = byte
                index += 1
            } else if byte == 0x22 {
                guard let end = endOfString(text, from: index + 1) else { break }
                let next = text[(end + 1)...].prefix(64).first { $0 > 0x20 }
                if next == 0x3a || bracket == 0x28 && next == 0x2c && Self.storing.contains(callee) {
                    let own = SlotReader.string(TextCoding.escapes.decoded(text[(index + 1)..<end]).bytes)
                    member = own
                    name = Self.valued.contains(own.lowercased()) ? objects.last?.nameOfValue ?? own : own
                } else {
                    add(Slot(name: name, range: (index + 1)..<end, coding: .escapes, kind: kind(of: name)))
                }
                index = end + 1
            } else if Self.beginsWord(byte) {
                let end =
                    text[index...].firstIndex { !Self.beginsWord($0) && !$0.isASCIIDigit }
                    ?? text.endIndex
                guard let value = startOfValue(text, from: end) else {
                    index = end
                    continue
                }
                name = SlotReader.string(text[index..<min(end, index + 64)])
                member = name
                index = value
                // Behind a name, these are quotation marks and no apostrophes.
                guard index < text.endIndex, text[index] == 0x27 || text[index] == 0x60,
                    let close = text[(index + 1)...].prefix(1 << 14).firstIndex(of: text[index])
                else { continue }
                add(Slot(name: name, range: (index + 1)..<close, coding: .escapes, kind: kind(of: name)))
                index = close + 1
            } else if byte.isASCIIDigit {
                let end = text[index...].firstIndex { !$0.isASCIIDigit } ?? text.endIndex
                let before = index > text.startIndex ? text[index - 1] : 0x20
                let after = end < text.endIndex ? text[end] : 0x20
                // Whole numbers only: a fraction or an exponent is no identifier.
                if !isPartOfNumber(before), !isPartOfNumber(after) {
                    add(Slot(name: name, range: index..<end, kind: .text, isNumber: true))
                }
                index = end
            } else {
                index += 1
            }
        }
        return slots
    }

    /// `document.cookie = "…"`, and headers in a program's own record of a request.
    private static func kind(of name: String) -> TextKind? {
        name == "cookie" ? .setCookie : TextKind.ofHeader(name)
    }

    /// Functions whose first argument names the second one.
    private static let storing: Set<String> = ["setItem", "set", "append", "setRequestHeader", "header"]

    /// Whether a single quote begins a string, and is no apostrophe.
    private static func isLiteral(at index: Int, in text: ArraySlice<UInt8>) -> Bool {
        guard let before = text[..<index].suffix(16).last(where: { $0 > 0x20 }) else {
            return index == text.startIndex
        }
        return [0x7b, 0x2c, 0x28, 0x5b, 0x3a, 0x3d, 0x3f, 0x2b, 0x26, 0x7c, 0x3b].contains(before)
    }

    /// Whether what stands there is given to a name: behind a colon or an equals sign.
    private static func isValue(_ index: Int, in text: ArraySlice<UInt8>) -> Bool {
        let before = text[..<index].suffix(16).last { $0 > 0x20 }
        return before == 0x3a || before == 0x3d
    }

    private static func word(before index: Int, in text: ArraySlice<UInt8>) -> String {
        SlotReader.string(Array(text[..<index].suffix(24).reversed().prefix(while: beginsWord).reversed()))
    }

    private static func beginsWord(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte == 0x5f || byte == 0x24
    }

    /// Where the value begins that a script gives a name: `password: 'x'`, `token = "x"`; nil where it gives none.
    private static func startOfValue(_ text: ArraySlice<UInt8>, from end: Int) -> Int? {
        guard let mark = text[end...].prefix(8).firstIndex(where: { $0 > 0x20 }),
            text[mark] == 0x3a || text[mark] == 0x3d,
            let value = text[(mark + 1)...].prefix(8).firstIndex(where: { $0 > 0x20 }),
            text[value] != 0x3d, text[value] != 0x3e
        else { return nil }
        return value
    }

    /// Members that say what the value beside them is called.
    private static let naming: Set<String> = ["name", "key", "typ", "type"]
    /// Members that say it where what they say is a word for a password.
    private static let describing: Set<String> = [
        "kind", "method", "id", "field", "factor", "credentialtype", "factortype", "authenticator",
        "attribute",
    ]
    /// Members whose value is called by the one beside them, or by what the object is the value of.
    private static let valued: Set<String> = ["value", "val", "nbr", "stringvalue"]
    /// Members that are the value where the one before them says that it is a password.
    private static let perhapsValued: Set<String> = [
        "secret", "data", "answer", "response", "credential",
    ]

    /// An object that is being read.
    private struct OpenObject {
        /// The member that it is the value of.
        var name: String
        /// What a member of it says: `{"name": "IDToken2", "value": "…"}`.
        var said: String?
        /// The slot that says it.
        var saidIn: Int?
        /// The slot of its member `value`, which may come first.
        var value: Int?

        /// Whether it says that the value is a password.
        var saysPassword = false
        /// The slot of an answer, and of a user, of whom more is known when a member beside it says what they are for.
        var answer: Int?
        var user: Int?
        var isChallenge = false
        var isLogin = false

        /// What is called by what stands beside it: the `answer` to a question that a login asks, the `user` of a password.
        ///
        /// `member`: in small letters.
        mutating func chosen(_ slot: Int, called member: String) -> (slot: Int, name: String)? {
            switch member {
            case "answer": answer = slot
            case "user", "login": user = slot
            case "statetoken", "statehandle", "questionkey", "username": isChallenge = true
            case "pass", "password", "passwd", "passcode", "pwd", "pw": isLogin = true
            default: return nil
            }
            if isChallenge, let answer {
                self.answer = nil
                return (answer, "securityAnswer")
            }
            guard isLogin, let user else { return nil }
            self.user = nil
            return (user, "username")
        }

        /// `"mobileno": {"value": "…"}`: the object is what the value is called by.
        var nameOfValue: String { said ?? (name.isEmpty ? "value" : name) }

        /// Takes a name; false where a better one is known.
        ///
        /// `member`: in small letters.
        mutating func says(_ own: String, in slot: Int, called member: String) -> Bool {
            let isPassword = SecretRoles.saysPassword(own)
            guard isPassword || !saysPassword && isName(own, of: member) else { return false }
            (said, saidIn, saysPassword) = (own, slot, isPassword)
            return true
        }

        private func isName(_ own: String, of member: String) -> Bool {
            guard member == "type" else { return ScriptSlots.naming.contains(member) }
            // `{"type": "mobile", "value": "…"}` in a list of phone numbers.
            return said == nil
                && (name.isEmpty || own.utf8.contains { $0 == 0x2f || $0 == 0x5f || $0 == 0x3a })
        }
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        byte == 0x2e || byte == 0x25 || byte == 0x2d || byte == 0x2b || byte == 0x5f
            || byte.isASCIILetter
    }

    /// Where the string ends whose first character is at `start`, behind its quotation mark; nil where it does not.
    private static func endOfString(_ text: ArraySlice<UInt8>, from start: Int) -> Int? {
        let mark = text[start - 1]
        var index = start
        while index < text.endIndex {
            if text[index] == 0x5c {
                index += 2
            } else if text[index] == 0x0a, mark == 0x27 {
                return nil
            } else if text[index] == mark {
                return index
            } else {
                index += 1
            }
        }
        return nil
    }
}
