import JSON

/// An object of an entry that becomes another only where something in it has to.
struct EntryDraft {
    private(set) var object: JSONObject
    private var isChanged = false

    /// With its members under HAR's names, by what is left of those without case, underscores and hyphens.
    ///
    /// A name that begins with an underscore is its producer's own, and of two spellings HAR's own counts.
    init(_ object: JSONObject, _ names: HARNames) {
        self.object = object
        for (index, member) in object.members.enumerated() where member.name.utf8.first != 0x5f {
            guard let name = names.own(member.name), name != member.name, object[name] == nil else {
                continue
            }
            self.object.members[index].name = name
            isChanged = true
        }
    }

    /// The object; nil where it is as it was.
    var changed: JSONObject? { isChanged ? object : nil }

    /// A member's new value; nil takes the member out.
    mutating func set(_ name: String, _ value: JSONValue?) {
        object[name] = value
        isChanged = true
    }

    /// Changes a member that is an object; `change` returns nil for what stays.
    mutating func change(_ name: String, _ change: (JSONObject) -> JSONObject?) {
        guard case .object(let member)? = object[name], let new = change(member) else { return }
        set(name, .object(new))
    }

    /// Changes the objects of a list.
    mutating func changeEach(_ name: String, _ change: (JSONObject) -> JSONObject?) {
        guard case .array(var list)? = object[name] else { return }
        var isOther = false
        for index in list.indices {
            guard case .object(let element) = list[index], let new = change(element) else { continue }
            list[index] = .object(new)
            isOther = true
        }
        if isOther { set(name, .array(list)) }
    }
}
