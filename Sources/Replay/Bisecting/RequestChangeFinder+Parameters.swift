import Captures
import Flows
import JOSE
import OAuth

/// What the parameters of two requests of a kind have otherwise.
extension RequestChangeFinder {
    struct Key: Hashable {
        var name: String
        var number: Int
    }

    /// What client authentication consists of is compared as such.
    static let credentials: Set<String> = [
        "client_secret", "client_assertion", "client_assertion_type",
    ]

    mutating func addParameters(_ both: Counterparts) {
        let (left, right) = (RequestEditor(both.own.request), RequestEditor(both.other.request))
        let isSameCarrier = RequestCarrier(of: both.own.request) == RequestCarrier(of: both.other.request)
        let skipped = both.own.takesClientAuthentication ? Self.credentials : []
        let isPage = both.mine.kind == .userInteraction
        let (ours, others) = (Self.keyed(left.items, skipped), Self.keyed(right.items, skipped))
        let known = Dictionary(ours.map { ($0.key, $0.item) }, uniquingKeysWith: { first, _ in first })
        for (key, item) in others.prefix(200) where !isPage || isOfPerson(item, both.other) {
            guard let present = known[key] else {
                guard !isPage || RecordedURL(item.value).scheme == nil else { continue }
                let isInBody = isSameCarrier ? item.isInBody : left.format != .none
                addAdditional(key, item, isInBody: isInBody, both)
                continue
            }
            if isSameCarrier, present.isInBody != item.isInBody {
                addMoved(key, present, item, both)
            }
            compare(key, present, item, both)
        }
        let names = Set(others.map(\.key))
        for (key, item) in ours.prefix(200)
        where !names.contains(key) && (!isPage || isOfPerson(item, both.own)) {
            addMissing(key, item, both)
        }
    }

    func place(of item: RequestEditor.Item, _ step: ComparedStep) -> Place {
        Place(exchange: step.index, part: item.isInBody ? .requestBody : .requestQuery, name: item.name)
    }

    /// The id beside Basic or an assertion belongs to the way in which the client authenticates.
    private func goesWithAuthentication(
        _ item: RequestEditor.Item,
        _ own: PlannedStep,
        _ other: PlannedStep
    ) -> Bool {
        own.takesClientAuthentication && item.name == "client_id"
            && own.clientAuthentication.methods != other.clientAuthentication.methods
    }

    /// A parameter that only their request has; `isInBody`: where ours would have it.
    private mutating func addAdditional(
        _ key: Key,
        _ item: RequestEditor.Item,
        isInBody: Bool,
        _ both: Counterparts
    ) {
        let new = translatedText(item.value, both.theirs, both.mine)
        guard !goesWithAuthentication(item, both.own, both.other) else { return }
        add(
            both,
            .of(
                item.name,
                expected: nil,
                seen: item.value,
                at: place(of: item, both.theirs),
                isSecret: isTyped(item, both.other),
                note: key.number > 0 ? "is sent once more" : nil
            ),
            [set(both.mine, key, new, isInBody: isInBody)]
        )
    }

    /// A parameter that one has in the body, the other in the query.
    private mutating func addMoved(
        _ key: Key,
        _ present: RequestEditor.Item,
        _ item: RequestEditor.Item,
        _ both: Counterparts
    ) {
        add(
            both,
            .of(
                item.name,
                expected: present.isInBody ? "in the body" : "in the query",
                seen: item.isInBody ? "in the body" : "in the query",
                at: place(of: item, both.theirs),
                aspect: "place",
                note: item.isInBody ? "in the body instead of the query" : "in the query instead of the body"
            ),
            [set(both.mine, key, present.value, isInBody: item.isInBody)]
        )
    }

    /// A parameter that only our request has.
    private mutating func addMissing(
        _ key: Key,
        _ item: RequestEditor.Item,
        _ both: Counterparts
    ) {
        guard !goesWithAuthentication(item, both.own, both.other) else { return }
        add(
            both,
            .of(
                item.name,
                expected: item.value,
                seen: nil,
                at: place(of: item, both.theirs),
                isSecret: isTyped(item, both.own)
            ),
            [.withoutParameter(exchange: both.mine.index, name: key.name, number: key.number)]
        )
    }

    static func keyed(_ items: [RequestEditor.Item], _ skipped: Set<String>)
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

    func set(_ mine: ComparedStep, _ key: Key, _ value: String, isInBody: Bool) -> PlanEdit {
        .parameter(
            exchange: mine.index,
            name: key.name,
            number: key.number,
            value: value,
            isInBody: isInBody
        )
    }

    func source(of item: RequestEditor.Item, in step: PlannedStep) -> ValueSource? {
        step.parameters.first { $0.name == item.name && $0.value == item.value }?.source
    }

    /// What people enter and press on pages, and not what pages have in them.
    func isOfPerson(_ item: RequestEditor.Item, _ step: PlannedStep) -> Bool {
        switch source(of: item, in: step) {
        case .literal, .secret: true
        default: false
        }
    }

    func isTyped(_ item: RequestEditor.Item, _ step: PlannedStep) -> Bool {
        passwordFields.contains(item.name)
            || step.kind == .userInteraction && SecretNames.isTyped(item.name)
    }

    func translatedText(_ text: String, _ theirs: ComparedStep, _ mine: ComparedStep) -> String {
        if let token = JSONWebToken.parse(text),
            let other = translator.translated(token, from: theirs.index, to: mine.index)
        {
            return other.text
        }
        return translator.translated(text)
    }

    mutating func compare(
        _ key: Key,
        _ mineItem: RequestEditor.Item,
        _ item: RequestEditor.Item,
        _ both: Counterparts
    ) {
        guard !isGiven(item.name), !Placeholder.isOne(item.value), !Placeholder.isOne(mineItem.value) else {
            return
        }
        // The client's id in a body goes with its secret in a header.
        if both.own.takesClientAuthentication, key.name == "client_id" { return }
        let made = (source(of: mineItem, in: both.own), source(of: item, in: both.other))
        if let kind = Self.made(made.0, made.1, named: key.name) {
            return compareMade(kind, key, mineItem, item, both)
        }
        // What was issued is passed on as it came; what is in it is the provider's.
        let translated = translator.translated(item.value)
        guard translated != mineItem.value else { return }
        if let token = JSONWebToken.parse(mineItem.value), let seen = JSONWebToken.parse(item.value) {
            return compareTokens(token, seen, named: key.name, isHeader: false, both)
        }
        guard !isSame(mineItem.value, translated, named: key.name) else { return }
        let isOwn: Bool
        if case .issued? = made.0 { isOwn = true } else { isOwn = false }
        let words = ValueDifference.words(
            mineItem.value,
            translated,
            of: key.name,
            isSecret: isTyped(item, both.other)
        )
        add(
            both,
            .of(
                key.name,
                expected: mineItem.value,
                seen: item.value,
                at: place(of: item, both.theirs),
                isSecret: isTyped(item, both.other),
                note: isOwn ? "not the one that was issued: \(words)" : words
            ),
            [set(both.mine, key, mapped(translated, named: key.name), isInBody: mineItem.isInBody)]
        )
    }

    func isGiven(_ name: String) -> Bool { given.contains(name) }

    /// Whether two values say the same in a run of today.
    func isSame(_ mine: String, _ theirs: String, named name: String) -> Bool {
        if mine == theirs { return true }
        if VolatileNames.isSet(name), mine.spaceDelimited == theirs.spaceDelimited { return true }
        guard !["redirect_uri", "post_logout_redirect_uri"].contains(name) else { return false }
        return goodMap.mapped(value: mine) == badMap.mapped(value: theirs)
    }

    func mapped(_ value: String, named name: String) -> String {
        ["redirect_uri", "post_logout_redirect_uri"].contains(name) ? value : badMap.mapped(value: value)
    }
}
