import Captures

/// Strings and numbers of JSON and of scripts, with the names of the members that they belong to.
///
/// Read by the tokens alone, so that scripts, several documents and torn ones are read as well.
struct ScriptSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var reader = ScriptSlots(text)
        while reader.readToken() {}
        let digits = TypedDigits.places(among: reader.slots.count) { place in
            let slot = reader.slots[place]
            return (slot.name, slot.range.count == 1 ? text[slot.range] : text[..<text.startIndex])
        }
        for place in digits { reader.slots[place].name = TypedDigits.name }
        reader.slots = SignInCall.named(
            reader.slots,
            in: text,
            operations: reader.signIns.subtracting(reader.queries)
        )
        if reader.labels >= LabelTexts.leastLabels {
            for place in reader.paired where LabelTexts.isOfWords(text[reader.slots[place].range]) {
                reader.slots[place].name = ""
            }
        }
        reader.slots = BindingSlots.named(FunctionArguments.named(reader.slots, in: text), in: text)
        reader.slots = CallbackAttributes.named(reader.slots, in: text)
        reader.slots = GoogleChallenges.named(ListedCards.named(reader.slots, in: text), in: text)
        reader.slots = AskedAnswers.named(AuthorSlugs.named(reader.slots, in: text), in: text)
        reader.slots = ListedPeople.named(reader.slots, in: text)
        if reader.isStep { reader.slots = HypermediaSteps.named(reader.slots, in: text) }
        reader.slots = CardHolders.named(FlattenedLists.named(reader.slots, in: text), in: text)
        let named = LabelTexts.unnamed(reader.slots, in: text)
        return GraphQLVariables.named(GraphQLVariables.withDefaults(named, in: text), in: text)
    }

    let text: ArraySlice<UInt8>
    private(set) var index: Int
    private var slots: [Slot] = []
    /// Where the objects begin that ask for an operation that signs in.
    private var signIns: Set<Int> = []
    /// Where those begin that have a query in them.
    private var queries: Set<Int> = []
    /// Of the next value.
    private var name = ""
    /// As it stands, also where `name` is what the value beside it is called.
    private var member = ""
    /// The objects around.
    private var objects: [ScriptObject] = []
    /// The last bracket that is open, and the word before it where a call begins.
    private(set) var bracket: UInt8 = 0
    private(set) var callee = ""
    /// Where its arguments begin among the slots.
    private var argument = 0
    /// Where the elements of a list begin.
    private var element = 0
    /// Where the elements begin of a list that is one of several in a list.
    private var pair: Int?
    /// The values of such pairs that were named by them, and how many pairs only say their name once more.
    private var paired: [Int] = []
    private var labels = 0
    /// It is what a register knows of somebody, which has an object with a `value` for each thing.
    private let isOfRegister: Bool
    /// It is a step of a sign-in that says whom it is about.
    private let isStep: Bool
    /// Its lines are those of a log.
    private let isLog: Bool

    private init(_ text: ArraySlice<UInt8>) {
        self.text = text
        index = text.startIndex
        isOfRegister = PersonRegister.describes(text)
        isStep = HypermediaSteps.describe(text)
        isLog = LogText.isOne(text)
    }

    /// Reads on; false at the end, and where a string has none.
    private mutating func readToken() -> Bool {
        guard index < text.endIndex else { return false }
        let byte = text[index]
        switch byte {
        case 0x5b, 0x5d, 0x28, 0x29: readBracket(byte)
        case 0x7b, 0x7d: readBrace(byte)
        case 0x22:
            guard let end = endOfString(from: index + 1) else {
                readTorn()
                return false
            }
            readQuoted(to: end)
        case 0x27:
            if isLiteral, let end = endOfString(from: index + 1) { readLiteral(to: end) } else { index += 1 }
        // The numbers of the next line's time are not given to what stands in this one.
        case 0x0a where isLog && objects.isEmpty: (name, member, index) = ("", "", index + 1)
        case _ where Self.beginsWord(byte): readWord()
        case _ where byte.isASCIIDigit: readNumber()
        default: index += 1
        }
        return true
    }

    // MARK: - Tokens

    private mutating func readBracket(_ byte: UInt8) {
        if byte == 0x5d, bracket == 0x5b { joinBytes() }
        if byte == 0x5b { element = slots.count }
        bracket = byte
        if byte == 0x5d { namePair() }
        pair = byte == 0x5b && isInList ? slots.count : nil
        if byte == 0x28 { (callee, argument) = (wordBefore, slots.count) }
        if byte == 0x29 { SignInCall.name(argumentsOf: callee, in: &slots[argument...], of: text) }
        // What a call gave a name to is behind it.
        if byte == 0x29, !callee.isEmpty { (name, callee) = ("", "") }
        index += 1
    }

    private mutating func readBrace(_ byte: UInt8) {
        let nameOfObject = name.isEmpty && bracket == 0x28 && UserHandles.isSetter(callee) ? "user" : name
        bracket = byte
        pair = nil
        if byte == 0x7b {
            objects.append(
                ScriptObject(name: objects.count < 256 ? nameOfObject : "", at: index, inside: objects.last)
            )
        } else {
            name = objects.popLast()?.name ?? ""
        }
        index += 1
    }

    /// A string in single quotes, as scripts have them.
    private mutating func readLiteral(to end: Int) {
        if isName(before: end) {
            name = string(to: end)
            member = name
        } else {
            // An argument of a call is no value of what was named before.
            addString(to: end, isNamed: bracket != 0x28 || Self.storing.contains(callee) || isValue)
        }
        index = end + 1
    }

    private mutating func addString(to end: Int, isNamed: Bool) {
        add(
            Slot(
                name: isNamed ? name : "",
                range: (index + 1)..<end,
                coding: .escapes,
                kind: isNamed ? Self.kind(of: name) : nil
            )
        )
        // `analytics.identify("ada", {…})`
        if bracket == 0x28, callee == "identify", argument == slots.count - 1 {
            slots[argument].name = UserHandles.name
        }
    }

    private mutating func readQuoted(to end: Int) {
        if isName(before: end) {
            member = string(to: end)
            let key = member.lowercased()
            if isOfRegister, key == "value" || key == "desc" || key == "code",
                let own = objects.last?.nameOfValue
            {
                name = PersonRegister.name(ofValueIn: own)
            } else if isStep, key == "subject" {
                name = HypermediaSteps.subject
            } else if ScriptObject.valued.contains(key) {
                name = objects.last?.nameOfValue ?? member
            } else if key == ScriptObject.listed {
                name = objects.last?.said ?? objects.last?.nameOfMember(key) ?? member
            } else if ScriptObject.choosing.contains(key) {
                let code = key == "code" ? objects.last?.nameOfCode ?? objects.last?.nameOfFault : nil
                name = objects.last?.nameOfChoice ?? code ?? member
            } else {
                name = objects.last?.nameInBirth(key) ?? objects.last?.nameOfMember(key) ?? member
            }
        } else {
            if isOfRegister, member == "type", PersonRegister.isCountry(text[(index + 1)..<end]) {
                name = PersonRegister.unnamed
            }
            addString(to: end, isNamed: !isGivenToFunction)
        }
        index = end + 1
    }

    /// The last value of a text that was cut off within it.
    private mutating func readTorn() {
        let rest = text[(index + 1)...]
        guard isValue, !rest.isEmpty, rest.count <= Self.longestTorn, !rest.contains(0x0a) else { return }
        add(Slot(name: name, range: (index + 1)..<text.endIndex, coding: .escapes, kind: Self.kind(of: name)))
    }

    /// In bytes: more behind a single quotation mark is no string.
    private static let longestTorn = 1 << 12

    /// A word, which may be the name of what a script gives it.
    private mutating func readWord() {
        let end =
            text[index...].firstIndex { !Self.beginsWord($0) && !$0.isASCIIDigit } ?? text.endIndex
        guard let value = startOfValue(from: end), !isType(before: end) else {
            index = end
            return
        }
        name = SlotReader.string(text[index..<min(end, index + 64)])
        member = name
        index = value
        // Behind a name, these are quotation marks and no apostrophes.
        guard index < text.endIndex, text[index] == 0x27 || text[index] == 0x60,
            let close = text[(index + 1)...].prefix(1 << 14).firstIndex(of: text[index])
        else { return }
        add(Slot(name: name, range: (index + 1)..<close, coding: .escapes, kind: Self.kind(of: name)))
        index = close + 1
    }

    /// Whether a word that ends there is the type of a variable in GraphQL, and no name: `$password: String = "…"`.
    private func isType(before end: Int) -> Bool {
        name.utf8.first == UInt8(ascii: "$") && text[end...].first { $0 > 0x20 } == 0x3d
            && text[..<index].suffix(16).last { $0 > 0x20 } == 0x3a
    }

    private mutating func readNumber() {
        var end = text[index...].firstIndex { !$0.isASCIIDigit } ?? text.endIndex
        let whole = end
        // An amount, or where somebody is.
        if end + 1 < text.endIndex, text[end] == 0x2e, text[end + 1].isASCIIDigit {
            end = text[(end + 1)...].firstIndex { !$0.isASCIIDigit } ?? text.endIndex
        }
        let before = index > text.startIndex ? text[index - 1] : 0x20
        let after = end < text.endIndex ? text[end] : 0x20
        // South of the equator, and west of Greenwich.
        let isSigned = before == 0x2d && end > whole && isValue(before: index - 1)
        // A number with an exponent is no identifier.
        if isSigned || !Self.isPartOfNumber(before), !Self.isPartOfNumber(after) {
            add(Slot(name: name, range: index..<end, kind: .text, isNumber: true))
        }
        index = end
    }

    /// Takes a value, and sees what it and those beside it in its object are called.
    private mutating func add(_ slot: Slot) {
        var own = withoutResource(slot)
        // What was refused stands under other members: `"password": {"value": "…"}`.
        let (isTold, isListed) = (objects.last?.tellsOfFields ?? false, bracket == 0x5b)
        if own.name == member, !own.isNumber,
            FieldFaults.isOne(text[own.range], of: own.name, isTold: isTold, isListed: isListed)
        {
            own.name = ""
        }
        slots.append(own)
        guard let object = objects.indices.last else { return }
        slots[slots.count - 1].object = objects[object].queryObject ?? objects[object].start
        slots[slots.count - 1].isVariable = objects[object].queryObject != nil
        slots[slots.count - 1].variable = objects[object].variable
        let (place, key) = (slots.count - 1, member.lowercased())
        if ScriptObject.typing.contains(key), !slot.isNumber {
            objects[object].isType(SlotReader.string(text[slot.range]))
        }
        if !slot.isNumber { take(argument: place, called: key, of: object) }
        if key == "address", text[slot.range].contains(0x40) { objects[object].isPerson = true }
        if let own = objects[object].ownID(place, called: key, isWhole: object == 0) {
            slots[own].isOwnID = true
            slots[own].isOfPerson = objects[object].isOfPerson
        }
        if ScriptObject.filing.contains(key) { name(file: place) }
        if let account = objects[object].bankAccount(place, called: key) {
            slots[account].name = "accountNumber"
        }
        // `{"value": 72, "unit": "kg"}`: no part of an address.
        if key == "unit", let value = objects[object].value, slots[value].isNumber { slots[place].name = "" }
        if key == "answer" { objects[object].answersInSentence = Self.isSentence(text[slot.range]) }
        for own in objects[object].names(place, called: key) where !slots[own].name.isEmpty {
            slots[own].name = "displayName"
        }
        if let chosen = objects[object].chosen(place, called: key) { slots[chosen.slot].name = chosen.name }
        nameHandles(by: place, called: key, of: object)
        name(by: place, called: key, of: object)
    }

    /// Sees what in an object is somebody's identifier, or was typed, once a member says so.
    private mutating func nameHandles(by place: Int, called key: String, of object: Int) {
        // What is wrong with the `id` of a user is nobody's.
        guard !objects[object].tellsOfFields else { return }
        let value = text[slots[place].range]
        if let typed = objects[object].typed.slot(with: place, called: key, saying: value) {
            slots[typed].name = TypedTexts.name
        }
        let name = objects[object].name
        for own in objects[object].handles.slots(with: place, called: key, of: name, saying: value)
        where !slots[own].name.isEmpty {
            slots[own].name = UserHandles.name
        }
    }

    /// Sees whether a text says what the value beside it is called, or is that value.
    private mutating func name(by place: Int, called key: String, of object: Int) {
        let slot = slots[place]
        if ScriptObject.naming.contains(key) || ScriptObject.describing.contains(key), !slot.isNumber {
            let own = SlotReader.string(TextCoding.escapes.decoded(text[slot.range]).bytes)
            guard objects[object].says(own, in: place, called: key), let value = objects[object].value else {
                return
            }
            slots[value].name = own
            slots[place].name = ""
        } else if ScriptObject.valued.contains(key) || key == ScriptObject.listed
            || objects[object].saysPassword && ScriptObject.perhapsValued.contains(key)
            || objects[object].said != nil && ScriptObject.refused.contains(key)
        {
            // What says the name is no value of it.
            if let said = objects[object].saidIn { slots[said].name = "" }
            if let said = objects[object].said {
                // `{"typ": "name", "val": "…"}`: a claim of .NET.
                slots[place].name = key == "val" && said == "name" ? "displayName" : said
            }
            objects[object].value = place
        }
    }

    /// Sees whether a text is an argument of a call, or says what is called.
    private mutating func take(argument place: Int, called key: String, of object: Int) {
        let slot = slots[place]
        if ScriptCall.calling.contains(key) {
            objects[object].call.calls(SlotReader.string(text[slot.range].prefix(80)))
        }
        let isOfList = bracket == 0x5b || bracket == 0x5d
        let isArgument = isOfList && !SignInCall.isAddress(text[slot.range])
        for argument in objects[object].call.argument(isArgument ? place : nil, of: slot.name) {
            slots[argument.slot].name = argument.name
        }
        if objects[object].call.isSignIn { signIns.insert(objects[object].start) }
        // It says itself what its variables are.
        if ["query", "mutation", "document"].contains(key) { queries.insert(objects[object].start) }
    }

    /// Of `"fhirUser": "Practitioner/1288"`, a relative reference (SMART App Launch 2.2, section "Scopes for requesting identity
    /// data"), the identifier alone.
    private func withoutResource(_ slot: Slot) -> Slot {
        guard slot.name == "fhirUser", let slash = text[slot.range].firstIndex(of: 0x2f),
            PersonalRoles.isResource(text[slot.range.lowerBound..<slash])
        else { return slot }
        var slot = slot
        slot.range = (slash + 1)..<slot.range.upperBound
        return slot
    }

    /// Sees whether a list that ends is a name and its value: `[["given_name", "Ada"], …]`, as maps and header fields are written;
    /// the texts of a page, `["password", "Passwort"]`, are none.
    private mutating func namePair() {
        guard let first = pair, slots.count == first + 2, !slots[first].isNumber else { return }
        let own = SlotReader.string(TextCoding.escapes.decoded(text[slots[first].range]).bytes)
        guard Self.isTelling(own) else { return }
        let value = text[slots[first + 1].range]
        guard !LabelTexts.says(value, own) else {
            labels += 1
            return
        }
        // `["username", "email"]` lists names.
        guard !SecretRoles.isWord(SlotReader.string(value)) else { return }
        slots[first].name = ""
        slots[first + 1].name = own
        paired.append(first + 1)
        if !slots[first + 1].isNumber { slots[first + 1].kind = Self.kind(of: own) }
    }

    /// Whether a text in front of another one may say what that is.
    static func isTelling(_ name: String) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        if case .secret = SecretRoles.role(of: name, in: .json) { return true }
        return kind(of: name) != nil
    }

    /// Sees whether the numbers of a list that ends are the bytes of one value, which stands for all of them then.
    private mutating func joinBytes() {
        guard element < slots.count,
            let whole = ByteLists.slot(of: slots[element...], in: text, inside: objects.last?.name ?? "")
        else { return }
        for place in slots.indices[element...] { slots[place].name = "" }
        slots[element] = whole
    }

    /// Of what somebody's document is called the name without its ending is theirs.
    private mutating func name(file place: Int) {
        let range = slots[place].range
        guard let dot = text[range].lastIndex(of: 0x2e), dot > range.lowerBound,
            ScriptObject.endings.contains(SlotReader.string(text[(dot + 1)..<range.upperBound]).lowercased())
        else { return }
        slots[place].name = SlotReader.fileName
        slots[place].range = range.lowerBound..<dot
        slots[place].kind = .text
    }

    // MARK: - Words

    /// `document.cookie = "…"`, the programs in a source map, and headers in a program's own record of a request.
    private static func kind(of name: String) -> TextKind? {
        switch name {
        case "cookie": .setCookie
        case "sourcesContent": .json
        default: TextKind.ofHeader(name)
        }
    }

    private static func isSentence(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 40 || text.contains(0x3c)
            || text.contains(0x20) && text.last.map { [0x21, 0x2e, 0x3f].contains($0) } ?? false
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        byte == 0x2e || byte == 0x25 || byte == 0x2d || byte == 0x2b || byte == 0x5f
            || byte.isASCIILetter
    }
}
