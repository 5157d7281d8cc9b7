import Captures

/// Calls that hand over a password without a name, by its place: `login('ada', 'Zk9!wq')`, `["login", "ada", "Zk9!wq"]`,
/// `"method": "authenticate", "params": ["ada", "Zk9!wq"]`.
///
/// The first of several arguments is who signs in, the others are as secret as a password.
enum SignInCall {
    /// Whether a function, method or operation of this name takes a password.
    ///
    /// `name`: with what it belongs to before it, or without: `AuthService.login`, `/sign-in`, `mysqli->__construct`.
    static func isOne(_ name: String) -> Bool {
        guard name.utf8.count <= 80 else { return false }
        let parts = name.utf8.split { ".:>\\/#$".utf8.contains($0) }.map { part in
            SecretRoles.normalized(SlotReader.string(part))
        }
        guard let last = parts.last else { return false }
        if last == "construct" {
            return parts.dropLast().last.map { connections.contains($0.filter { $0 != "-" }) } ?? false
        }
        return names.contains(last) || endings.contains(where: last.hasSuffix)
            || beginnings.contains(where: last.hasPrefix)
    }

    private static let connections: Set<String> = ["pdo", "mysqli"]
    private static let names: Set<String> = [
        "authenticate", "attempt", "passwordverify", "verifypassword", "mysqliconnect", "ldapbind",
        "ftplogin",
        "imapopen", "wp.getusersblogs", "getusersblogs",
    ]
    private static let endings = ["login", "signin", "logon", "signup", "password"]
    private static let beginnings = ["login", "signin", "authenticateuser"]

    /// What an argument is called; of the first one nobody knows whether it is an account, a server or a database.
    ///
    /// `place`: among those that are texts, from zero; `count`: how many of them there are.
    static func name(ofArgument place: Int, of count: Int) -> String {
        place == 0 && count > 1 ? "login_hint" : "password"
    }

    /// Whether a text may be a password, and no word of a program: letters, and something else among them.
    static func mayBeSecret(_ text: some Collection<UInt8>) -> Bool {
        (6...128).contains(text.count) && text.allSatisfy { $0 > 0x20 }
            && text.contains(where: \.isASCIILetter)
            && text.contains { !$0.isASCIILetter && $0 != 0x5f }
    }

    /// Whether an argument says where something is, as `https://…` and `/callback` do: it is read as the address that it is, for
    /// others have its segments, too.
    static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.contains(0x2f) else { return false }
        // In JSON a slash may be written `\/`.
        let plain = text.filter { $0 != 0x5c }
        if let mark = plain.firstRange(of: Array("://".utf8))?.lowerBound {
            return mark > 0 && plain[..<mark].allSatisfy { isOfName($0) || $0 == 0x2b }
        }
        return plain.first == 0x2f
            && plain.prefix { $0 != 0x3f && $0 != 0x23 }.allSatisfy { byte in
                byte.isASCIIWordByte || [0x25, 0x2d, 0x2e, 0x2f, 0x7e].contains(byte)
            }
    }

    // MARK: - Calls in texts

    /// The arguments of such calls as programs write them when they fail: `#0 Auth.php(12): Auth->login('ada', 'Zk9!wq')`.
    ///
    /// Where no argument behind the first one may be a secret the call is one of a program's source.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstIndex(of: 0x28) {
            rest = text[(open + 1)...]
            let name = text[..<open].suffix(longestName).reversed().prefix(while: isOfName).reversed()
            guard !name.isEmpty, isOne(SlotReader.string(Array(name))) else { continue }
            let arguments = arguments(from: open + 1, in: text)
                .filter { !isAddress(text[$0]) && !isExpression($0, in: text) }
            // `#0 /srv/db.php(12): PDO->__construct('…', 'app', 'kestrel')` tells with what a program was run.
            let isTraced = Bytes.hasSuffix(text[..<(open - name.count)], "): ")
            guard arguments.count > 1,
                isTraced || arguments.dropFirst().contains(where: { mayBeSecret(text[$0]) })
            else { continue }
            let told = arguments.map { named($0, in: text) }
            // `record(a=…, b=…)`; beside arguments without one, what stands before an equals sign may be the value's.
            let haveNames = told.allSatisfy { $0 != nil }
            slots += zip(arguments, told).enumerated().map { place, argument in
                if let own = argument.1, haveNames || saysWhat(own.name) { return own }
                let name = self.name(ofArgument: place, of: arguments.count)
                return Slot(name: name, range: argument.0, kind: .text)
            }
            rest = text[(arguments.last?.upperBound ?? open + 1)...]
        }
        return slots
    }

    /// Whether an argument is a variable of the program's source, or a member of one, and no value.
    ///
    /// `$password`, `e.password`, `$_POST['password']`, and `login:$a` of a query in GraphQL; between quotation marks it is none.
    private static func isExpression(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Bool {
        let argument = text[range]
        let before = text[range.lowerBound - 1]
        guard before != 0x22, before != 0x27 else { return false }
        let name = argument.prefix(while: \.isASCIIWordByte)
        if !name.isEmpty, argument[name.endIndex...].starts(with: ":$".utf8) { return true }
        if argument.first == 0x24 {
            // A password may begin so, and has digits then.
            return argument.allSatisfy { $0.isASCIILetter || "$_->[]'\"".utf8.contains($0) }
        }
        let parts = argument.split(separator: 0x2e, omittingEmptySubsequences: false)
        return parts.count > 1
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCIILetter || $0 == 0x5f } }
            && saysWhat(parts.last.map(SlotReader.string) ?? "")
    }

    /// Whether a name says what is called so.
    private static func saysWhat(_ name: String) -> Bool {
        if case .unknown = SecretRoles.role(of: name, in: .text) { false } else { true }
    }

    /// An argument that says its own name, `username=ada` or `username='ada'`; nil for others, base64 with its padding
    /// and what stands between quotation marks included: `'Zk9=wq'`.
    private static func named(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Slot? {
        let argument = text[range]
        // The bracket of the call stands before the first one.
        let before = text[range.lowerBound - 1]
        guard before != 0x22, before != 0x27 else { return nil }
        let name = argument.prefix(while: \.isASCIIWordByte)
        guard name.first.map(\.isASCIILetter) ?? false, argument[name.endIndex...].first == 0x3d else {
            return nil
        }
        var value = argument[(name.endIndex + 1)...]
        if let mark = value.first, mark == 0x22 || mark == 0x27, value.count > 1, value.last == mark {
            value = value.dropFirst().dropLast()
        }
        guard let first = value.first, first != 0x3d else { return nil }
        return Slot(name: SlotReader.string(name), range: value.startIndex..<value.endIndex, kind: .text)
    }

    private static let longestName = 60
    /// In bytes, of all the arguments of a call.
    private static let longestList = 512

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIWordByte || [0x24, 0x2d, 0x2e, 0x3a, 0x3e, 0x5c].contains(byte)
    }

    /// The texts of a list, with or without quotation marks around them; none of a list that does not end.
    private static func arguments(from start: Int, in text: ArraySlice<UInt8>) -> [Range<Int>] {
        let list = text[start...].prefix(longestList)
        var arguments: [Range<Int>] = []
        var index = start
        while index < list.endIndex {
            let byte = list[index]
            if byte == 0x29 { return arguments }
            if byte <= 0x20 || byte == 0x2c {
                index += 1
            } else if byte == 0x22 || byte == 0x27 {
                guard let end = list[(index + 1)...].firstIndex(of: byte) else { return [] }
                if end > index + 1 { arguments.append((index + 1)..<end) }
                index = end + 1
            } else {
                let end = list[index...].firstIndex { $0 == 0x2c || $0 == 0x29 } ?? list.endIndex
                // `Object(App\User)`, `Array`, a number.
                if mayBeSecret(list[index..<end]) || list[index..<end].allSatisfy(\.isASCIIWordByte) {
                    arguments.append(index..<end)
                }
                index = end
            }
        }
        return []
    }

    /// The arguments of a call as GWT writes it: how many texts it has, these, the method the fourth of them, and numbers of the texts
    /// in the order in which they are meant: `7|0|7|https://…|…|com.shop.Auth|login|java.lang.String/2004016611|ada|Zk9!wq|1|2|…`.
    static func serialized(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.first.map(\.isASCIIDigit) ?? false, text.count <= SentenceSlots.longest else { return [] }
        let parts = text.split(separator: 0x7c, omittingEmptySubsequences: false)
        guard parts.count > 7, let count = Int(SlotReader.string(parts[2])), count > 4,
            count <= parts.count - 3,
            isOne(SlotReader.string(parts[6]))
        else { return [] }
        // Types have their number behind a slash.
        let arguments = parts[7..<(3 + count)].filter { !$0.isEmpty && !$0.contains(0x2f) }
        return arguments.enumerated().map { place, argument in
            Slot(
                name: name(ofArgument: place, of: arguments.count),
                range: argument.startIndex..<argument.endIndex,
                kind: .text
            )
        }
    }

    // MARK: - Calls in JSON

    /// The slots of a document, with names for what operations that sign in are given, where nothing else tells:
    /// `["login", "ada", "Zk9!wq"]`, the variables of a query that is kept at the server.
    ///
    /// `operations`: where the objects begin that ask for one.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>, operations: Set<Int>) -> [Slot] {
        var slots = slots
        for place in slots.indices where slots[place].isVariable && operations.contains(slots[place].object) {
            guard case .unknown = SecretRoles.role(of: slots[place].name, in: .json),
                mayBeSecret(text[slots[place].range]), !isAddress(text[slots[place].range])
            else { continue }
            slots[place].name = "password"
        }
        // `42["login", …]` of Socket.IO.
        guard let first = slots.firstIndex(where: { !$0.isNumber }), slots[first].name.isEmpty,
            text[..<slots[first].range.lowerBound].allSatisfy({
                $0.isASCIIDigit || [0x5b, 0x22, 0x20, 0x0a].contains($0)
            }),
            case let callee = SlotReader.string(text[slots[first].range].prefix(80)), isOne(callee),
            // `[["password", "Passwort"], …]` is a list of pairs.
            text[..<slots[first].range.lowerBound].count(where: { $0 == 0x5b }) < 2
                || !SecretRoles.saysPassword(callee)
        else { return slots }
        let places = slots.indices[(first + 1)...].prefix { slots[$0].name.isEmpty && !slots[$0].isNumber }
        name(Array(places), of: &slots, in: text)
        // `["login", {"u": "ada", "p": "Zk9!wq"}]`
        for place in slots.indices[(first + 1)...] where !slots[place].isNumber {
            slots[place].name = initials[slots[place].name] ?? slots[place].name
        }
        return slots
    }

    /// Names of one letter, and what they mean in such a call.
    private static let initials = ["u": "username", "p": "password"]

    /// Names the texts that a script calls a sign-in with: `login('ada', 'Zk9!wqPz')`.
    ///
    /// Scripts call such functions with words of their own as well: `login('#user', 'popup')`, `signIn('github', 'v2')`. The
    /// last one has to look like a password that somebody was told to choose.
    static func name(argumentsOf callee: String, in slots: inout ArraySlice<Slot>, of text: ArraySlice<UInt8>)
    {
        guard isOne(callee) else { return }
        let places = slots.indices.filter { slots[$0].name.isEmpty && !slots[$0].isNumber }
        guard (2...3).contains(places.count), let last = places.last,
            isMixed(text[slots[last].range])
        else { return }
        for (place, slot) in places.enumerated() {
            slots[slot].name = name(ofArgument: place, of: places.count)
        }
    }

    /// Whether a word has three of capitals, small letters, digits, and marks other than those that names are joined with
    /// (`redirect-v2`).
    private static func isMixed(_ text: ArraySlice<UInt8>) -> Bool {
        guard (8...64).contains(text.count), text.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
        let classes = [
            text.contains { (0x41...0x5a).contains($0) }, text.contains { (0x61...0x7a).contains($0) },
            text.contains(where: \.isASCIIDigit),
            text.contains { !$0.isASCIIAlphanumeric && !"-_.:/".utf8.contains($0) },
        ]
        return classes.count { $0 } >= 3 && !isAddress(text)
    }

    /// The texts of a list that stands for itself, as what a sign-in is given: `["ada", "Zk9!wq"]`.
    static func arguments(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots = ScriptSlots.slots(in: text)
        let places = slots.indices.filter {
            slots[$0].name.isEmpty && !slots[$0].isNumber && slots[$0].object == 0
        }
        name(places, of: &slots, in: text)
        return slots
    }

    private static func name(_ places: [Int], of slots: inout [Slot], in text: ArraySlice<UInt8>) {
        let places = places.filter { !isAddress(text[slots[$0].range]) }
        for (place, slot) in places.enumerated() {
            slots[slot].name = name(ofArgument: place, of: places.count)
        }
    }
}
