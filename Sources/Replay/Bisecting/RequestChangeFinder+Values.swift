import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Parameters, headers, tokens and credentials of one step.
extension RequestChangeFinder {
    // MARK: - Parameters

    private struct Key: Hashable {
        var name: String
        var number: Int
    }

    /// What client authentication consists of is compared as such.
    private static let credentials: Set<String> = [
        "client_secret", "client_assertion", "client_assertion_type",
    ]

    mutating func addParameters(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ own: PlannedStep,
        _ other: PlannedStep
    ) {
        let (left, right) = (RequestEditor(own.request), RequestEditor(other.request))
        let isSameCarrier = RequestCarrier(of: own.request) == RequestCarrier(of: other.request)
        let skipped =
            own.takesClientAuthentication ? Self.credentials : []
        let isPage = mine.kind == .userInteraction
        let (ours, others) = (Self.keyed(left.items, skipped), Self.keyed(right.items, skipped))
        let known = Dictionary(ours.map { ($0.key, $0.item) }, uniquingKeysWith: { first, _ in first })
        for (key, item) in others.prefix(200) {
            let place = Place(
                exchange: theirs.index,
                part: item.isInBody ? .requestBody : .requestQuery,
                name: item.name
            )
            guard !isPage || isOfPerson(item, other) else { continue }
            guard let present = known[key] else {
                guard !isPage || RecordedURL(item.value).scheme == nil else { continue }
                let new = translatedText(item.value, theirs, mine)
                // The id beside Basic or an assertion belongs to the way in which the client authenticates.
                if own.takesClientAuthentication, item.name == "client_id",
                    !isSameAuthentication(own, other)
                {
                    continue
                }
                add(
                    mine,
                    theirs,
                    value(
                        item.name,
                        expected: nil,
                        seen: item.value,
                        at: place,
                        isSecret: isTyped(item, other),
                        note: key.number > 0 ? "is sent once more" : nil
                    ),
                    [set(mine, key, new, isInBody: isSameCarrier ? item.isInBody : left.format != .none)]
                )
                continue
            }
            if isSameCarrier, present.isInBody != item.isInBody {
                add(
                    mine,
                    theirs,
                    value(
                        item.name,
                        expected: present.isInBody ? "in the body" : "in the query",
                        seen: item.isInBody ? "in the body" : "in the query",
                        at: place,
                        aspect: "place",
                        note: item.isInBody
                            ? "in the body instead of the query" : "in the query instead of the body"
                    ),
                    [set(mine, key, present.value, isInBody: item.isInBody)]
                )
            }
            compare(key, present, item, mine, theirs, own, other, place)
        }
        let names = Set(others.map(\.key))
        for (key, item) in ours.prefix(200) where !names.contains(key) {
            guard !isPage || isOfPerson(item, own) else { continue }
            if own.takesClientAuthentication, item.name == "client_id", !isSameAuthentication(own, other) {
                continue
            }
            add(
                mine,
                theirs,
                value(
                    item.name,
                    expected: item.value,
                    seen: nil,
                    at: Place(
                        exchange: theirs.index,
                        part: item.isInBody ? .requestBody : .requestQuery,
                        name: item.name
                    ),
                    isSecret: isTyped(item, own)
                ),
                [.withoutParameter(exchange: mine.index, name: key.name, number: key.number)]
            )
        }
    }

    private static func keyed(_ items: [RequestEditor.Item], _ skipped: Set<String>)
        -> [(key: Key, item: RequestEditor.Item)]
    {
        var numbers: [String: Int] = [:]
        return items.compactMap { item in
            guard !skipped.contains(item.name) else { return nil }
            let number = numbers[item.name, default: 0]
            numbers[item.name] = number + 1
            return (Key(name: item.name, number: number), item)
        }
    }

    private func set(_ mine: ComparedStep, _ key: Key, _ value: String, isInBody: Bool) -> PlanEdit {
        .parameter(
            exchange: mine.index,
            name: key.name,
            number: key.number,
            value: value,
            isInBody: isInBody
        )
    }

    private func source(of item: RequestEditor.Item, in step: PlannedStep) -> ValueSource? {
        step.parameters.first { $0.name == item.name && $0.value == item.value }?.source
    }

    /// What people enter and press on pages, and not what pages have in them.
    private func isOfPerson(_ item: RequestEditor.Item, _ step: PlannedStep) -> Bool {
        switch source(of: item, in: step) {
        case .literal, .secret: true
        default: false
        }
    }

    private func isTyped(_ item: RequestEditor.Item, _ step: PlannedStep) -> Bool {
        step.kind == .userInteraction && SecretNames.isTyped(item.name)
    }

    private func translatedText(_ text: String, _ theirs: ComparedStep, _ mine: ComparedStep) -> String {
        if let token = JSONWebToken.parse(text),
            let other = translator.translated(token, from: theirs.index, to: mine.index)
        {
            return other.text
        }
        return translator.translated(text)
    }

    private mutating func compare(
        _ key: Key,
        _ mineItem: RequestEditor.Item,
        _ item: RequestEditor.Item,
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ own: PlannedStep,
        _ other: PlannedStep,
        _ place: Place
    ) {
        guard !isGiven(item.name), !Placeholder.isOne(item.value), !Placeholder.isOne(mineItem.value) else {
            return
        }
        // The client's id in a body goes with its secret in a header.
        if own.takesClientAuthentication, key.name == "client_id" { return }
        let made = (source(of: mineItem, in: own), source(of: item, in: other))
        if let kind = Self.made(made.0, made.1, named: key.name) {
            return compareMade(kind, key, mineItem.value, item.value, mine, theirs, place, item.isInBody)
        }
        // What was issued is passed on as it came; what is in it is the provider's.
        let translated = translator.translated(item.value)
        guard translated != mineItem.value else { return }
        if let token = JSONWebToken.parse(mineItem.value), let seen = JSONWebToken.parse(item.value) {
            return compareTokens(token, seen, named: key.name, isHeader: false, mine, theirs)
        }
        guard !isSame(mineItem.value, translated, named: key.name) else { return }
        let isOwn: Bool
        if case .issued? = made.0 { isOwn = true } else { isOwn = false }
        let words = Difference.note(
            expected: mineItem.value,
            seen: translated,
            isSecret: Masking.isSecret(key.name) || isTyped(item, other)
        )
        add(
            mine,
            theirs,
            value(
                key.name,
                expected: mineItem.value,
                seen: item.value,
                at: place,
                isSecret: isTyped(item, other),
                note: isOwn ? "not the one that was issued: \(words)" : words
            ),
            [set(mine, key, mapped(translated, named: key.name), isInBody: mineItem.isInBody)]
        )
    }

    private func isGiven(_ name: String) -> Bool { given.contains(name) }

    /// Whether two values say the same in a run of today.
    private func isSame(_ mine: String, _ theirs: String, named name: String) -> Bool {
        if mine == theirs { return true }
        if VolatileNames.isSet(name), Words.of(mine) == Words.of(theirs) { return true }
        guard !["redirect_uri", "post_logout_redirect_uri"].contains(name) else { return false }
        return goodMap.mapped(value: mine) == badMap.mapped(value: theirs)
    }

    private func mapped(_ value: String, named name: String) -> String {
        ["redirect_uri", "post_logout_redirect_uri"].contains(name) ? value : badMap.mapped(value: value)
    }

    // MARK: - What a client makes anew

    /// What two values were made up as; nil where they were not, or where tokens are made of them.
    ///
    /// One of them may look like a word by chance, or be one: a word is no relation to anything either.
    private static func made(_ mine: ValueSource?, _ theirs: ValueSource?, named name: String)
        -> GeneratedValue?
    {
        let isPassed = [mine, theirs].contains { source in
            switch source {
            case .issued, .secret, .form: true
            case .literal, .generated, nil: false
            }
        }
        guard !isPassed else { return nil }
        for source in [mine, theirs] {
            guard case .generated(let kind)? = source else { continue }
            return kind == .clientAssertion || kind == .requestObject ? nil : kind
        }
        return name == "state" ? .state : name == "nonce" ? .nonce : nil
    }

    /// How a client's challenges are made, by the challenge.
    private func making(of challenge: String, in plan: ReplayPlan) -> PlannedChallenge? {
        plan.challenges.first { $0.challenge == challenge }
    }

    /// Verifiers that belong to their challenges are the same one.
    mutating func bindVerifiers() {
        for (mine, theirs) in zip(good.challenges, bad.challenges) {
            guard let own = mine.verifier, let other = theirs.verifier,
                ValueShape(own).isLike(ValueShape(other))
            else { continue }
            translator.bind(other, to: own)
        }
    }

    private mutating func compareMade(
        _ kind: GeneratedValue,
        _ key: Key,
        _ mineValue: String,
        _ theirValue: String,
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ place: Place,
        _ isInBody: Bool
    ) {
        let isAlike = ValueShape(mineValue).isLike(ValueShape(theirValue))
        func made(_ note: String, _ edits: [PlanEdit]) {
            add(
                mine,
                theirs,
                value(key.name, expected: mineValue, seen: theirValue, at: place, note: note),
                edits
            )
        }
        let sets = set(mine, key, theirValue, isInBody: isInBody)
        switch kind {
        case .codeVerifier:
            let own = good.challenges.first { $0.verifier == mineValue }
            let other = bad.challenges.first { $0.verifier == theirValue }
            if own != nil, other == nil, !bad.challenges.isEmpty {
                made("is not the one that the code_challenge was made of", [sets])
            } else if own != nil, other != nil, !isAlike {
                made(
                    Self.shapes(mineValue, theirValue),
                    [sets, .verifier(theirValue, insteadOf: mineValue)]
                )
            }
        case .codeChallenge:
            let (own, other) = (making(of: mineValue, in: good), making(of: theirValue, in: bad))
            if let own = own?.making.relation, other?.verifier != nil, let relation = other?.making.relation,
                own != relation
            {
                made(
                    "made of its verifier as \(Self.name(of: relation)) instead of \(Self.name(of: own))",
                    [sets]
                )
            } else if other?.verifier == nil, !isAlike {
                made(Self.shapes(mineValue, theirValue), [sets])
            } else {
                translator.bind(theirValue, to: mineValue)
            }
        default:
            guard !isAlike else { return translator.bind(theirValue, to: mineValue) }
            made(Self.shapes(mineValue, theirValue), [sets])
        }
    }

    private static func name(of relation: ChallengeRelation) -> String {
        relation == .s256 ? "S256" : relation.rawValue
    }

    private static func shapes(_ mine: String, _ theirs: String) -> String {
        "made in another way: \(ValueShape(theirs).words) instead of \(ValueShape(mine).words)"
    }

    // MARK: - Tokens that the client signs

    private mutating func compareTokens(
        _ own: JSONWebToken,
        _ seen: JSONWebToken,
        named parameter: String,
        isHeader: Bool,
        _ mine: ComparedStep,
        _ theirs: ComparedStep
    ) {
        guard own.form == .signed,
            let other = translator.translated(seen, from: theirs.index, to: mine.index)
        else { return }
        compareMembers(own.header, other.header, of: parameter, areHeader: true, mine, theirs)
        compareMembers(own.claims, other.claims, of: parameter, areHeader: false, mine, theirs)
    }

    /// Made anew, or of a key that a replay has of its own.
    private static let passing: Set<String> = [
        "jti", "jwk", "x5c", "x5t", "x5t#S256", "kid", "state", "nonce", "code_challenge", "ath",
    ]

    private mutating func compareMembers(
        _ own: JSONObject?,
        _ other: JSONObject?,
        of parameter: String,
        areHeader: Bool,
        _ mine: ComparedStep,
        _ theirs: ComparedStep
    ) {
        let (own, other) = (own ?? JSONObject(), other ?? JSONObject())
        let names = (own.members + other.members).map(\.name).reduce(into: [String]()) { list, name in
            if !list.contains(name) { list.append(name) }
        }
        for name in names.prefix(60) {
            let (left, right) = (own[name], other[name])
            guard !isSameMember(left, right, named: name) else { continue }
            let text = { (value: JSONValue?) in value.map { $0.string ?? JSONWriter.text(of: $0) } }
            let shown = Self.isTime(name) ? (nil, nil) : (text(left), text(right))
            let note: String?
            if Self.isTime(name), let from = left?.number?.int, let to = right?.number?.int {
                note = "\(abs(to - from)) s \(to > from ? "later" : "earlier"), by the time of the request"
            } else {
                note = nil
            }
            add(
                mine,
                theirs,
                value(
                    name,
                    expected: note == nil ? text(left) : shown.0,
                    seen: note == nil ? text(right) : shown.1,
                    at: Place(exchange: theirs.index, part: areHeader ? .jwtHeader : .jwtClaims, name: name),
                    token: parameter,
                    note: note
                ),
                [
                    .member(
                        exchange: mine.index,
                        token: parameter,
                        isHeader: areHeader,
                        name: name,
                        value: right
                    )
                ]
            )
        }
    }

    private static func isTime(_ name: String) -> Bool { ["exp", "iat", "nbf"].contains(name) }

    private func isSameMember(_ left: JSONValue?, _ right: JSONValue?, named name: String) -> Bool {
        if left == right { return true }
        guard let left, let right else { return false }
        if Self.passing.contains(name) { return true }
        if Self.isTime(name), let from = left.number?.int, let to = right.number?.int {
            return abs(from - to) <= 5
        }
        if let from = left.string, let to = right.string { return isSame(from, to, named: name) }
        return false
    }

    // MARK: - Headers

    private static let skippedHeaders: Set<String> = [
        "authorization", "dpop", "content-type", "accept-encoding", "referer", "priority", "dnt",
        "cache-control", "pragma", "traceparent", "tracestate",
    ]

    mutating func addHeaders(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ own: PlannedStep,
        _ other: PlannedStep
    ) {
        let isPage = mine.kind == .userInteraction
        if !isPage { addProof(mine, theirs, own, other) }
        let (left, right) = (own.request.headers, other.request.headers)
        let names = (left.fields + right.fields).filter { !HeaderRules.isLeftOut($0) }.reduce(
            into: [String]()
        ) { list, field in
            let name = field.name.lowercased()
            guard !list.contains(name), !Self.skippedHeaders.contains(name) else { return }
            // Of pages what the browser is, and not how it came there.
            if !isPage || Self.isOfBrowser(name) { list.append(name) }
        }
        for name in names.prefix(60) {
            let (from, to) = (left.all(name), right.all(name).map(translator.translated))
            guard from != to, !isOfTracing(from, to), !isSameOrigin(name, from, to) else { continue }
            let spelled =
                (right.fields + left.fields).first { $0.name.equalsIgnoringASCIICase(name) }?.name ?? name
            add(
                mine,
                theirs,
                value(
                    spelled,
                    expected: from.isEmpty ? nil : from.joined(separator: ", "),
                    seen: to.isEmpty ? nil : to.joined(separator: ", "),
                    at: Place(exchange: theirs.index, part: .requestHeader, name: spelled),
                    aspect: "header"
                ),
                [.header(exchange: mine.index, name: spelled, values: to)]
            )
        }
        if !own.takesClientAuthentication, !isPage { addToken(mine, theirs, own, other) }
    }

    private static func isOfBrowser(_ name: String) -> Bool {
        name == "user-agent" || name == "accept-language" || name.hasPrefix("sec-ch-")
    }

    /// Numbers by which a request is found again in a log.
    private func isOfTracing(_ from: [String], _ to: [String]) -> Bool {
        !from.isEmpty && from.count == to.count && (from + to).allSatisfy(ValueShape.looksRandom)
    }

    private func isSameOrigin(_ name: String, _ from: [String], _ to: [String]) -> Bool {
        guard name == "origin", let from = from.first, let to = to.first else { return false }
        return isSame(from, to, named: name)
    }

    /// `Authorization` of a request with a token: its scheme, and whether it is there.
    private mutating func addToken(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ own: PlannedStep,
        _ other: PlannedStep
    ) {
        guard !isGiven("access_token") else { return }
        let (left, right) = (
            own.request.headers.first("authorization"),
            other.request.headers.first("authorization").map(translator.translated)
        )
        guard left != right else { return }
        let words = [left, right].map { $0?.split(separator: " ", maxSplits: 1).map(String.init) ?? [] }
        let isScheme = words[0].count == 2 && words[1].count == 2 && words[0][1] == words[1][1]
        let place = Place(exchange: theirs.index, part: .requestHeader, name: "Authorization")
        add(
            mine,
            theirs,
            isScheme
                ? value(
                    "Authorization",
                    expected: nil,
                    seen: nil,
                    at: place,
                    aspect: "scheme",
                    note: "\(words[1][0]) instead of \(words[0][0])"
                ) : value("Authorization", expected: left, seen: right, at: place),
            [.header(exchange: mine.index, name: "Authorization", values: right.map { [$0] } ?? [])]
        )
    }

    /// The proof of possession (RFC 9449): there or not, and what it says.
    private mutating func addProof(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ own: PlannedStep,
        _ other: PlannedStep
    ) {
        let (left, right) = (own.request.headers.first("dpop"), other.request.headers.first("dpop"))
        let tokens = (left.flatMap(JSONWebToken.parse), right.flatMap(JSONWebToken.parse))
        if let mineToken = tokens.0, let theirToken = tokens.1 {
            return compareTokens(mineToken, theirToken, named: "DPoP", isHeader: true, mine, theirs)
        }
        guard left != right else { return }
        let text =
            tokens.1.flatMap { translator.translated($0, from: theirs.index, to: mine.index)?.text } ?? right
        add(
            mine,
            theirs,
            value(
                "DPoP",
                expected: left.map { _ in "a proof" },
                seen: right.map { _ in tokens.1 == nil ? "no token" : "a proof" },
                at: Place(exchange: theirs.index, part: .requestHeader, name: "DPoP"),
                note: right == nil ? "is missing" : left == nil ? "is new" : "is no token"
            ),
            [.header(exchange: mine.index, name: "DPoP", values: text.map { [$0] } ?? [])]
        )
    }

    // MARK: - Client authentication

    private func authentication(_ step: PlannedStep) -> ClientAuthentication {
        let items = RequestEditor(step.request).items
        let query = QueryItems(
            items: items.map { QueryItems.Item(name: $0.name, value: $0.value, rawValue: $0.value) }
        )
        return ClientAuthentication(
            of: step.request,
            exchange: step.exchange,
            parameters: Parameters(query, of: step.exchange, in: .requestBody)
        )
    }

    private func isSameAuthentication(_ own: PlannedStep, _ other: PlannedStep) -> Bool {
        authentication(own).methods == authentication(other).methods
    }

    mutating func addAuthentication(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ own: PlannedStep,
        _ other: PlannedStep
    ) {
        let (left, right) = (authentication(own), authentication(other))
        let place = Place(exchange: theirs.index, part: .requestHeader, name: "Authorization")
        if left.methods != right.methods {
            let names = [left, right].map { $0.methods.map(\.rawValue).joined(separator: " and ") }
            add(
                mine,
                theirs,
                value(
                    "client authentication",
                    expected: names[0],
                    seen: names[1],
                    at: place,
                    note: "\(names[1]) instead of \(names[0])"
                ),
                authenticating(mine, theirs, left, right)
            )
        } else if let own = left.assertion.flatMap({ JSONWebToken.parse($0.value) }),
            let other = right.assertion.flatMap({ JSONWebToken.parse($0.value) })
        {
            compareTokens(own, other, named: "client_assertion", isHeader: false, mine, theirs)
        }
        for (name, from, to) in [
            ("client_id", left.clientID, right.clientID), ("client_secret", left.secret, right.secret),
        ] {
            guard let from, let to, from.value != to.value, !isGiven(name), !Placeholder.isOne(from.value),
                !Placeholder.isOne(to.value), translator.translated(to.value) != from.value
            else { continue }
            add(
                mine,
                theirs,
                value(name, expected: from.value, seen: to.value, at: to.place),
                [.credential(exchange: mine.index, name: name, value: to.value)]
            )
        }
        addEncoding(mine, theirs, left, right, place)
    }

    /// The edits that make a client authenticate as the other does.
    private func authenticating(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ left: ClientAuthentication,
        _ right: ClientAuthentication
    ) -> [PlanEdit] {
        let exchange = mine.index
        switch right.methods {
        case [.secretBasic], [.secretPost]:
            // Who has no secret in the one flow has it from the other.
            var edits: [PlanEdit] = []
            if left.secret == nil, let secret = right.secret {
                edits.append(
                    .parameter(
                        exchange: exchange,
                        name: SecretNames.clientSecret,
                        number: 0,
                        value: secret.value,
                        isInBody: true
                    )
                )
            }
            return edits + [.authentication(exchange: exchange, right.methods[0])]
        case [.none]: return [.authentication(exchange: exchange, .none)]
        case [.secretBasic, .secretPost]:
            return [.authentication(exchange: exchange, .secretBasic), .secretTwice(exchange: exchange)]
        case [.assertion]:
            guard let assertion = right.assertion else { return [] }
            return [
                .authentication(exchange: exchange, .none),
                .assertion(exchange: exchange, translatedText(assertion.value, theirs, mine)),
            ]
        default: return []
        }
    }

    /// Whether Basic credentials are form-encoded, where that makes another header (RFC 6749, section 2.3.1).
    private mutating func addEncoding(
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ left: ClientAuthentication,
        _ right: ClientAuthentication,
        _ place: Place
    ) {
        guard left.methods == [.secretBasic], right.methods == [.secretBasic], let from = left.secret,
            let to = right.secret, from.rawValue != to.rawValue, from.value == to.value
        else { return }
        let encodes = to.rawValue != to.value
        add(
            mine,
            theirs,
            value(
                "client_secret",
                expected: nil,
                seen: nil,
                at: place,
                aspect: "encoding",
                note: encodes
                    ? "form-encoded before it went into Basic" : "not form-encoded before it went into Basic"
            ),
            [.encodesCredentials(exchange: mine.index, encodes)]
        )
    }
}
