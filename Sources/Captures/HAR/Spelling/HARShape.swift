import JSON

/// What HAR 1.2 wants of one of its objects.
struct HARShape: Sendable {
    enum Kind: Sendable {
        case text
        case number
        /// A number that is not negative.
        case measure
        /// An instant as ISO 8601 spells it.
        case time
        /// Objects with a name and a value, both texts.
        case pairs
        case object(HARShape)
    }

    struct Member: Sendable {
        var name: String
        var kind: Kind
        /// Of those that may be missing, too, null is nothing.
        var isRequired = true
    }

    var members: [Member]
    /// Whether `text` is that of a body.
    var isBody = false
    /// What we write besides where the original does not have it.
    var additions: Set<String> = []
}

// MARK: - The shapes

extension HARShape {
    static let entry = HARShape(
        members: [
            Member(name: "startedDateTime", kind: .time), Member(name: "time", kind: .measure),
            Member(name: "request", kind: .object(request)),
            Member(name: "response", kind: .object(response)),
            Member(name: "cache", kind: .object(HARShape(members: []))),
            Member(name: "timings", kind: .object(timings)),
            Member(name: "serverIPAddress", kind: .text, isRequired: false),
            Member(name: "connection", kind: .text, isRequired: false),
        ],
        additions: ["_error", "_startedDateTime"]
    )

    private static let message: [Member] = [
        Member(name: "httpVersion", kind: .text), Member(name: "cookies", kind: .pairs),
        Member(name: "headers", kind: .pairs), Member(name: "headersSize", kind: .number),
        Member(name: "bodySize", kind: .number),
    ]

    private static let request = HARShape(
        members: [
            Member(name: "method", kind: .text), Member(name: "url", kind: .text),
            Member(name: "queryString", kind: .pairs),
            Member(
                name: "postData",
                kind: .object(HARShape(members: [Member(name: "mimeType", kind: .text)], isBody: true)),
                isRequired: false
            ),
        ] + message,
        additions: ["postData"]
    )

    private static let response = HARShape(
        members: [
            Member(name: "status", kind: .number), Member(name: "statusText", kind: .text),
            Member(
                name: "content",
                kind: .object(
                    HARShape(
                        members: [
                            Member(name: "size", kind: .number), Member(name: "mimeType", kind: .text),
                        ],
                        isBody: true
                    )
                )
            ), Member(name: "redirectURL", kind: .text),
        ] + message
    )

    private static let timings = HARShape(
        members: ["send", "wait", "receive"].map { Member(name: $0, kind: .measure) }
            + ["blocked", "dns", "connect", "ssl"].map {
                Member(name: $0, kind: .number, isRequired: false)
            }
    )
}

// MARK: - Checking and mending

extension HARShape {
    /// Whether the object is as HAR wants it.
    func isMet(by object: JSONObject) -> Bool {
        members.allSatisfy { member in
            guard let value = object[member.name] else { return !member.isRequired }
            return value == .null && !member.isRequired || member.kind.isMet(by: value)
        } && !(isBody && object["text"].map { $0.string == nil && $0 != .null } ?? false)
    }

    /// The original with what HAR wants put in out of `ours`, which is how we write it.
    func mended(_ original: JSONObject, _ ours: JSONObject) -> JSONObject {
        var object = original
        for member in members {
            let new = ours[member.name]
            guard let old = object[member.name] else {
                if member.isRequired { object[member.name] = new ?? member.kind.nothing }
                continue
            }
            guard member.isRequired || old != .null && new != nil else { continue }
            object[member.name] = member.kind.mended(old, new)
        }
        for name in additions where object[name]?.object == nil {
            if let value = ours[name], object[name] == nil || name == "postData" { object[name] = value }
        }
        // Only HTTP Toolkit has it, in the place of a text: twice would be once too often.
        if additions.contains("postData"), original["postData"]?.object == nil,
            original["_content"]?.object != nil, ours["postData"] != nil
        {
            object["_content"] = nil
        }
        if isBody { mendText(&object, ours) }
        return object
    }

    /// A text that is none, or is not told as HAR tells it, becomes ours.
    private func mendText(_ object: inout JSONObject, _ ours: JSONObject) {
        guard object["text"]?.string?.isEmpty ?? true || object["_encoding"] != nil, let text = ours["text"]
        else {
            return
        }
        object["text"] = text
        object["encoding"] = ours["encoding"]
        object["_encoding"] = nil
    }

    /// Ours with the members of the original that it does not have; texts of bodies and lists are not taken apart.
    func completed(_ ours: JSONObject, _ original: JSONObject) -> JSONObject {
        var object = IndexedJSONObject(ours)
        for member in original.members where !(isBody && Self.ofText.contains(member.name)) {
            guard member.name != "_content" else { continue }
            guard let own = object[member.name] else {
                object.append(member)
                continue
            }
            if case .object(let shape)? = members.first(where: { $0.name == member.name })?.kind,
                let new = own.object, let old = member.value.object
            {
                object.set(member.name, .object(shape.completed(new, old)))
            }
        }
        return object.object
    }

    private static let ofText: Set<String> = ["text", "encoding", "_encoding", "params"]
}

extension HARShape.Kind {
    fileprivate func isMet(by value: JSONValue) -> Bool {
        switch self {
        case .text: value.string != nil
        case .number: value.double != nil
        case .measure: value.double.map { $0 >= 0 } ?? false
        case .time: value.string.map(Self.isTime) ?? false
        case .pairs: value.array?.allSatisfy(Self.isPair) ?? false
        case .object(let shape): value.object.map(shape.isMet) ?? false
        }
    }

    private static func isPair(_ value: JSONValue) -> Bool {
        value["name"]?.string != nil && value["value"]?.string != nil
    }

    /// `YYYY-MM-DDThh:mm:ss.sTZD`, which every reader knows; the zone may be missing, since nobody knows it better.
    private static func isTime(_ text: String) -> Bool {
        guard Timestamp(rfc3339: text) != nil else { return false }
        let bytes = Array(text.utf8)
        guard bytes[10] == 0x54 else { return false }
        var zone = bytes[19...]
        if zone.first == 0x2e { zone = zone.dropFirst().drop { $0.isASCIIDigit } }
        return zone.isEmpty || zone.elementsEqual([0x5a])
            || zone.count == 6 && zone[zone.startIndex + 3] == 0x3a && zone.first != 0x2c
    }

    /// What stands where nobody knows anything.
    fileprivate var nothing: JSONValue? { if case .object = self { .object([:]) } else { nil } }

    /// `new`: as we write it; nil where we do not.
    fileprivate func mended(_ old: JSONValue, _ new: JSONValue?) -> JSONValue {
        switch self {
        case .object(let shape):
            // A body may be told elsewhere than in its text: looked at although nothing is wrong with the object.
            guard let own = old.object else { return new?.object.map(JSONValue.object) ?? .object([:]) }
            return .object(shape.mended(own, new?.object ?? JSONObject()))
        case .pairs:
            if isMet(by: old) { return old }
            let list = old.array?.compactMap(Self.mendedPair)
            if let list, list.count == old.array?.count { return .array(list) }
            if let new, isMet(by: new) { return new }
            return .array(
                Producers.fields(old).map { ["name": .string($0.name), "value": .string($0.value)] }
            )
        case .number where !isMet(by: old) && !(new.map(isMet) ?? false):
            // Ours keeps the odd status of an answer that there was not.
            return .number(JSONNumber(Producers.integer(old) ?? 0))
        case .text, .number, .measure, .time: return isMet(by: old) ? old : new ?? old
        }
    }

    /// A pair with its name and value as texts; nil where it is no single one.
    private static func mendedPair(_ old: JSONValue) -> JSONValue? {
        guard var object = old.object.map(EntrySpelling.pair),
            let name = Producers.text(object["name"] ?? object["key"])
        else { return nil }
        if object["name"] == nil { object["key"] = nil }
        let value = object["value"]
        guard value?.array == nil else { return nil }
        object["name"] = .string(name)
        object["value"] = .string(Producers.text(value) ?? "")
        return .object(object)
    }
}
