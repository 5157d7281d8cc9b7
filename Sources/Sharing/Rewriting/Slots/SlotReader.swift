import Captures
import OAuth

/// Finds the named values of a text, in linear time and without failing: what is shared is often broken.
enum SlotReader {
    static func slots(in text: ArraySlice<UInt8>, as kind: TextKind) -> [Slot] {
        switch kind {
        case .url: addressAndRest(text)
        case .refresh: refresh(text)
        case .form: items(text, separators: separators(of: text))
        case .links: links(text)
        case .lines:
            CardSlots.isCard(text)
                ? CardSlots.slots(in: text) : EmbeddedMarkup.beside(linesAndProse(text), in: text)
        case .cookies: cookies(text)
        // W3C Baggage, section 3.3
        case .baggage: text.split { $0 == 0x2c || $0 == 0x3b }.compactMap { namedValue($0, coding: .percent) }
        case .setCookie: text.split(separator: 0x0a).flatMap { cookies($0).prefix(1) }
        case .authorization: authorization(text, basic: .userPassword)
        case .clientAuthorization: authorization(text, basic: .clientPassword)
        case .userPassword: pair(text, "username", "password", coding: nil)
        case .clientPassword: pair(text, "client_id", "client_secret", coding: .form)
        case .json, .claims: documentAndRest(text)
        case .arguments: SignInCall.arguments(in: text)
        case .html: MarkupSlots.slots(in: text)
        case .disposition: FileNameSlots.slots(in: text)
        case .multipart(let boundary): MultipartSlots.slots(in: text, boundary: boundary)
        case .globalID: GlobalID(text).map { [Slot(name: GlobalID.name, range: $0.id, kind: .text)] } ?? []
        case .text: EmbeddedMarkup.beside(prose(text), in: text)
        }
    }

    private static func documentAndRest(_ text: ArraySlice<UInt8>) -> [Slot] {
        guard let end = LeadingPart.endOfDocument(in: text) else { return script(text) }
        return script(text[..<end]) + LeadingPart.slots(behind: end, in: text)
    }

    private static func script(_ text: ArraySlice<UInt8>) -> [Slot] {
        var slots = ScriptSlots.slots(in: text)
        slots += pairs(text)
        slots += TraceLines.slots(in: text) + DescribedObjects.slots(in: text) + TypedCalls.slots(in: text)
        let isOfWords =
            LogText.isOne(text) || LeadingPart.isOfWords(text) || LeadingPart.isBesideDocument(text)
        return isOfWords ? EmbeddedMarkup.beside(slots + prose(text), in: text) : slots
    }

    private static func prose(_ text: ArraySlice<UInt8>) -> [Slot] {
        let wrapped = WrappedTokens.slots(in: text)
        return WrappedTokens.apart(words(text), from: wrapped, in: text) + wrapped
            + LoggedStatements.slots(in: text) + CookieFileSlots.slots(in: text)
            + PrintedCookies.slots(in: text) + TraceLines.members(in: text) + DescribedObjects.slots(in: text)
            + TypedCalls.slots(in: text)
    }

    private static func words(_ text: ArraySlice<UInt8>) -> [Slot] {
        TableSlots.slots(in: text) + ListSlots.slots(in: text) + DirectoryNameSlots.slots(in: text)
            + SentenceSlots.slots(in: text) + SignInCall.serialized(in: text) + FilterSlots.slots(in: text)
            + DeviceOwners.hosts(in: text) + ExtendedLog.slots(in: text) + ValidationReports.slots(in: text)
            + NetrcSlots.slots(in: text) + ScannedCardSlots.slots(in: text)
    }

    /// The values of lines, and what is told between them, or in several of them.
    private static func linesAndProse(_ text: ArraySlice<UInt8>) -> [Slot] {
        // No file of cookies has statements among them.
        let saved = CookieFileSlots.slots(in: text)
        let cookies = saved.isEmpty ? PrintedCookies.slots(in: text) : saved
        let stated = cookies.isEmpty ? LoggedStatements.slots(in: text) : cookies
        let bound = stated.isEmpty ? TypedCalls.slots(in: text) : stated
        let told = bound.map(\.range)
        let wrapped = WrappedTokens.slots(in: text)
        let slots = WrappedTokens.apart(
            LabelTexts.unnamed(LabelledCodes.named(lines(text), in: text), in: text).filter {
                !isMet($0.range, by: told)
            },
            from: wrapped,
            in: text
        )
        let values = slots.map(\.range).sorted { $0.lowerBound < $1.lowerBound }
        let others = WrappedTokens.apart(words(text), from: wrapped, in: text) + bound
        return slots + wrapped + others.filter { !isMet($0.range, by: values) }
    }

    /// `others`: in order.
    private static func isMet(_ range: Range<Int>, by others: [Range<Int>]) -> Bool {
        let next = others.partitionPoint { $0.upperBound > range.lowerBound }
        return next < others.count && others[next].lowerBound < range.upperBound
    }

    /// What objects and lists of other languages than JSON tell, in which names have other marks around them.
    private static func pairs(_ text: ArraySlice<UInt8>) -> [Slot] {
        // `{"user"=>{"name"=>"…"}}`, as Ruby prints a map, begins as JSON does.
        guard !TextKind.opensDocument(text) || text.prefix(longestKey).firstRange(of: Array("=>".utf8)) != nil
        else { return [] }
        let isCode = text.contains { $0 == 0x28 || $0 == 0x3b }
        return PairSlots.slots(in: text, isCode: isCode) + (isCode ? [] : PrintedSlots.slots(in: text))
    }

    /// In bytes, with the mark behind it.
    private static let longestKey = 64

    // MARK: - URLs and forms

    private static func addressAndRest(_ text: ArraySlice<UInt8>) -> [Slot] {
        let end = LeadingPart.endOfAddress(in: text)
        return url(text[..<end]) + LeadingPart.slots(behind: end, in: text)
    }

    private static func url(_ whole: ArraySlice<UInt8>) -> [Slot] {
        let text = TextKind.withoutDriver(whole)
        // A driver's parameters follow the host; elsewhere a password may have a semicolon (RFC 3986, section 3.2.1).
        let ends: [UInt8] = text.count < whole.count ? [0x2f, 0x3b] : [0x2f]
        var slots: [Slot] = []
        let end = text.firstIndex { $0 == 0x3f || $0 == 0x23 } ?? text.endIndex
        let address = text[..<end]
        var pathStart = address.startIndex
        if let colon = address.firstIndex(of: 0x3a), address[colon...].starts(with: "://".utf8) {
            let authority = colon + 3
            let slash = address[authority...].firstIndex(where: ends.contains) ?? address.endIndex
            if let at = address[authority..<slash].lastIndex(of: 0x40) {
                slots += pair(address[authority..<at], "username", "password", coding: .percent)
            }
            pathStart = slash
        }
        var start = pathStart
        // The one before, and the one before that.
        var (segment, earlier) = (address[start..<start], address[start..<start])
        for index in pathStart...address.endIndex {
            guard index == address.endIndex || address[index] == 0x2f || address[index] == 0x3b else {
                continue
            }
            if index > start {
                slots.append(PathSlots.slot(of: address[start..<index], behind: segment, earlier))
                (segment, earlier) = (address[start..<index], segment)
            }
            start = index + 1
        }
        PathSlots.nameAccount(of: text[text.startIndex..<end], in: &slots)
        if PersonSegments.isOfEndpoint(segment) {
            for place in slots.indices where slots[place].name == personSegment {
                slots[place].name = pathSegment
            }
        }
        guard end < text.endIndex else { return slots }
        let isOfError = segment.elementsEqual("error".utf8)
        let parameters = items(text[(end + 1)...], separators: [0x26, 0x3f, 0x23])
        return slots
            + PeopleSearch.named(parameters, behind: segment, earlier, in: text).map { slot in
                var slot = slot
                slot.name = name(ofParameter: slot, isOfError: isOfError, in: text)
                return slot
            }
    }

    /// What a parameter is called, by what it has where its own name means several things.
    private static func name(ofParameter slot: Slot, isOfError: Bool, in text: ArraySlice<UInt8>) -> String {
        let value = text[slot.range]
        switch slot.name {
        case "login" where FormAccounts.isTold(underLogin: value): return FormAccounts.name
        // Entra's `https://…/error?code=700016`.
        case "code" where isOfError && value.count < 10 && value.allSatisfy(\.isASCIIDigit):
            return "error_code"
        default: return slot.name
        }
    }

    /// `0; url=…`, as a header and as a page's `meta` have it.
    private static func refresh(_ text: ArraySlice<UInt8>) -> [Slot] {
        let target = target(ofRefresh: text)
        return [Slot(name: "refresh", range: target.startIndex..<target.endIndex)]
    }

    /// What is behind the seconds, with `url=` before it or without, and may have quotation marks around it (HTML, section
    /// 4.2.5.3); all of a text that has no seconds in front.
    static func target(ofRefresh text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let time = text.drop { $0 <= 0x20 }
        let behind = time.drop { $0.isASCIIDigit || $0 == 0x2e }
        let isBehindTime = behind.startIndex > time.startIndex
        guard isBehindTime, let mark = behind.first, mark <= 0x20 || mark == 0x2c || mark == 0x3b else {
            return text
        }
        var target = behind.drop { $0 <= 0x20 || $0 == 0x2c || $0 == 0x3b }
        if target.prefix(3).map(\.asciiLowercased).elementsEqual("url".utf8) {
            let named = target.dropFirst(3).drop { $0 <= 0x20 }
            if named.first == 0x3d { target = named.dropFirst().drop { $0 <= 0x20 } }
        }
        guard let mark = target.first, mark == 0x22 || mark == 0x27 else { return target }
        return target.dropFirst().prefix { $0 != mark }
    }

    /// `<https://…>; rel=next`, several of them (RFC 8288).
    private static func links(_ text: ArraySlice<UInt8>) -> [Slot] {
        // A member of that name, `{"link": "https://…"}`, is an address by itself.
        guard text.contains(0x3c) else {
            let range = text.startIndex..<text.endIndex
            return TextKind.guessed(text) == .url ? [Slot(name: "href", range: range, kind: .url)] : []
        }
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstIndex(of: 0x3c), let close = rest[open...].firstIndex(of: 0x3e) {
            if close > open + 1 { slots.append(Slot(name: "href", range: (open + 1)..<close, kind: .url)) }
            rest = text[(close + 1)...]
        }
        return slots
    }

    /// The name of what is behind `Basic`, user and password together.
    static let basicCredentials = "(basic)"

    /// The name of a segment of a path.
    static let pathSegment = "(path)"

    /// The name of a number behind a segment that names accounts: `/users/1048219`.
    static let accountSegment = "(account)"

    /// The name of a segment that may be what somebody's account is called: `/users/ada`.
    static let personSegment = "(person)"

    /// The name of what a file is called that somebody sends or gets.
    static let fileName = "(file)"

    /// A semicolon separates where no `&` does, and where there is a name behind it: a table has semicolons, too.
    private static func separators(of text: ArraySlice<UInt8>) -> Set<UInt8> {
        guard !text.contains(0x26), let mark = text.firstIndex(of: 0x3b) else { return [0x26] }
        let rest = text[(mark + 1)...]
        return rest.contains(0x3d) || !rest.contains { $0 > 0x20 } ? [0x26, 0x3b] : [0x26]
    }

    private static func items(_ text: ArraySlice<UInt8>, separators: Set<UInt8> = [0x26]) -> [Slot] {
        var slots: [Slot] = []
        var start = text.startIndex
        let end = text.lastIndex { $0 != 0x0a && $0 != 0x0d }.map { $0 + 1 } ?? text.startIndex
        for index in text.startIndex...max(text.startIndex, end) {
            guard index >= end || separators.contains(text[index]) else { continue }
            if start < index {
                let item = text[start..<index]
                slots += (separators.contains(0x3f) ? atSemicolons(item) : [item]).map(self.item)
            }
            start = index + 1
        }
        for place in TypedDigits.places(in: slots.map { ($0.name, text[$0.range]) }) {
            slots[place].name = TypedDigits.name
        }
        for place in FormAccounts.places(in: slots.map { ($0.name, text[$0.range]) }) {
            slots[place].name = FormAccounts.name
        }
        return GraphQLVariables.named(FieldPairs.named(slots, in: text), in: text)
    }

    private static func item(_ item: ArraySlice<UInt8>) -> Slot {
        guard let equals = item.firstIndex(of: 0x3d) else {
            // `#/reset-password/…`: the place in an app that keeps it in the fragment.
            let isRead =
                item.first == 0x2f || TextKind.opensDocument(TextCoding.form.decoded(item).bytes[...])
            let range = item.startIndex..<item.endIndex
            return Slot(name: "", range: range, coding: .form, kind: isRead ? nil : .text)
        }
        let name = TextCoding.form.decoded(item[..<equals]).bytes
        // `token=3DeyJ…`: the equals sign of mail whose encoding was not undone (RFC 2045, section 6.7).
        let start = item[(equals + 1)...].starts(with: quotedToken) ? equals + 3 : equals + 1
        return Slot(name: string(name), range: start..<item.endIndex, coding: .form)
    }

    /// What stands behind an equals sign that is written as `=3D`, where a token follows.
    static let quotedToken = Array("3DeyJ".utf8)

    /// The parameters of an item of a query: a semicolon with a name behind it separates them as well, but for what is secret
    /// as a whole.
    private static func atSemicolons(_ item: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var items: [ArraySlice<UInt8>] = []
        var rest = item
        while let mark = rest.firstIndex(of: 0x3b), let equals = rest[..<mark].firstIndex(of: 0x3d) {
            let name = rest[(mark + 1)...].prefix { $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e }
            guard !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == 0x3d else { break }
            if case .secret = SecretRoles.role(of: string(rest[..<equals]), in: .url) { break }
            items.append(rest[..<mark])
            rest = rest[(mark + 1)...]
        }
        return items + [rest]
    }

    /// `name=value` or `name: value`, a line each; of a whole HTTP message its target and its body, too.
    private static func lines(_ text: ArraySlice<UInt8>) -> [Slot] {
        guard let first = text.firstIndex(of: 0x0a),
            let version = text[..<first].firstRange(of: Array("HTTP/".utf8))?.lowerBound
        else { return CallLines.named(PersonLines.named(fields(text), in: text), in: text) }
        let gap =
            text.firstRange(of: Array("\r\n\r\n".utf8)) ?? text.firstRange(of: Array("\n\n".utf8))
            ?? text.endIndex..<text.endIndex
        // The line break of the first line is the beginning of the gap where there are no fields.
        var slots = fields(text[first..<max(first, gap.lowerBound)])
        if let space = text[..<first].firstIndex(of: 0x20), space + 1 < version - 1 {
            slots.append(Slot(name: "url", range: (space + 1)..<(version - 1), kind: .url))
        }
        let body = text[gap.upperBound...]
        if !body.isEmpty { slots.append(Slot(name: "text", range: body.startIndex..<body.endIndex)) }
        return slots
    }

    static func fields(_ text: ArraySlice<UInt8>) -> [Slot] {
        var endOfBlock = text.startIndex
        return text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }).flatMap { line -> [Slot] in
            if TextKind.opensDocument(line) {
                return [Slot(name: "", range: line.startIndex..<line.endIndex, kind: .json)]
            }
            if let traced = TraceLines.slots(inLine: line) { return traced }
            if case let whole = trimmed(line), TextKind.isConnection(whole) {
                return [Slot(name: "", range: whole.startIndex..<whole.endIndex, kind: .form)]
            }
            let pairs = LogLineSlots.slots(in: line)
            guard pairs.isEmpty else { return pairs }
            let settings = CommandSettings.slots(in: line)
            guard settings.isEmpty else { return settings }
            if let claim = ClaimLines.slot(in: line) { return [claim] }
            guard let mark = line.firstIndex(where: { $0 == 0x3d || $0 == 0x3a }) else { return [] }
            // `"password": "…",`, a member of JSON that stands among other lines.
            let quoted = trimmed(line[..<mark])
            let own = quoted.first == 0x22 ? unquoted(quoted) : quoted
            let given = trimmed(line[(mark + 1)...])
            let isMember = own.count < quoted.count && given.last == 0x2c
            let value = unquoted(isMember ? given.dropLast() : given)
            let name = string(own)
            let isHeader = line[mark] == 0x3a
            if isHeader, line.startIndex >= endOfBlock, isBlockMark(value), isSecret(name) {
                let (lines, end) = block(below: line, in: text)
                endOfBlock = end
                return lines.map { Slot(name: name, range: $0.startIndex..<$0.endIndex) }
            }
            return [
                Slot(
                    name: name,
                    range: value.startIndex..<value.endIndex,
                    kind: isHeader ? TextKind.ofHeader(name) : nil
                )
            ]
        }
    }

    /// Without the quotation marks around a value that has none in it.
    private static func unquoted(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let mark = value.first, mark == 0x22 || mark == 0x27, value.count > 2, value.last == mark else {
            return value
        }
        let inner = value.dropFirst().dropLast()
        return inner.contains(mark) || inner.contains(0x5c) ? value : inner
    }

    /// `password: |`: the value stands in the lines below, further in (YAML 1.2, section 8.1).
    private static func isBlockMark(_ value: ArraySlice<UInt8>) -> Bool {
        guard let first = value.first, first == 0x7c || first == 0x3e else { return false }
        return value.count <= 2 && value.dropFirst().allSatisfy { $0 == 0x2b || $0 == 0x2d }
    }

    private static func isSecret(_ name: String) -> Bool {
        switch SecretRoles.role(of: name, in: .lines) {
        case .secret, .drawn: true
        case .open, .parts, .unknown: false
        }
    }

    /// The lines below one that are further in, without the space around them, and where they end; the marks of a key in PEM are
    /// none of its own.
    private static func block(below line: ArraySlice<UInt8>, in text: ArraySlice<UInt8>)
        -> (lines: [ArraySlice<UInt8>], end: Int)
    {
        let own = line.prefix { $0 == 0x20 }.count
        var lines: [ArraySlice<UInt8>] = []
        var rest = text[line.endIndex...]
        while true {
            let next = rest.drop { $0 == 0x0a || $0 == 0x0d }.prefix { $0 != 0x0a && $0 != 0x0d }
            guard next.prefix(while: { $0 == 0x20 }).count > own else { return (lines, rest.startIndex) }
            rest = rest[next.endIndex...]
            let value = trimmed(next)
            if !value.isEmpty, !value.starts(with: "-----".utf8) { lines.append(value) }
        }
    }

    // MARK: - Headers

    private static func cookies(_ text: ArraySlice<UInt8>) -> [Slot] {
        text.split(separator: 0x3b).compactMap { namedValue($0) }
    }

    /// `name=value` with space around both; nil for none.
    private static func namedValue(_ part: ArraySlice<UInt8>, coding: TextCoding? = nil) -> Slot? {
        let pair = trimmed(part)
        guard let equals = pair.firstIndex(of: 0x3d) else {
            return pair.isEmpty ? nil : Slot(name: "", range: pair.startIndex..<pair.endIndex, coding: coding)
        }
        let value = trimmed(pair[(equals + 1)...])
        return Slot(
            name: string(trimmed(pair[..<equals])),
            range: value.startIndex..<value.endIndex,
            coding: coding
        )
    }

    private static func authorization(_ text: ArraySlice<UInt8>, basic: TextKind) -> [Slot] {
        let value = trimmed(text)
        guard let space = value.firstIndex(of: 0x20) else {
            return [Slot(name: "authorization", range: value.startIndex..<value.endIndex)]
        }
        let scheme = string(value[..<space]).lowercased()
        var rest = trimmed(value[(space + 1)...])
        // A scheme that stands there twice is no part of the token.
        if let second = rest.firstIndex(of: 0x20), scheme != "basic",
            BearerToken.schemes.contains(string(rest[..<second]).lowercased())
        {
            rest = trimmed(rest[(second + 1)...])
        }
        let range = rest.startIndex..<rest.endIndex
        if scheme == "basic" {
            return [Slot(name: basicCredentials, range: range, kind: basic, isBase64: true)]
        }
        let isBearer = scheme == "bearer" || scheme == "dpop"
        let parameters = isBearer ? [] : AuthorizationParameters.slots(in: rest)
        guard parameters.isEmpty else { return parameters }
        return [
            Slot(
                name: isBearer ? "access_token" : "authorization",
                range: range
            )
        ]
    }

    /// `user:password`; without a colon the user alone.
    private static func pair(
        _ text: ArraySlice<UInt8>,
        _ user: String,
        _ password: String,
        coding: TextCoding?
    ) -> [Slot] {
        let colon = text.firstIndex(of: 0x3a) ?? text.endIndex
        let name = Slot(name: user, range: text.startIndex..<colon, coding: coding, kind: .text)
        guard colon < text.endIndex else { return [name] }
        return [name, Slot(name: password, range: (colon + 1)..<text.endIndex, coding: coding, kind: .text)]
    }

    // MARK: - Small things

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = text.lastIndex(where: { !$0.isBlank }) else { return text.prefix(0) }
        return text[...last].drop(while: \.isBlank)
    }

    static func string(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
