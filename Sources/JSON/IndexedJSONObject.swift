/// An object whose members are found by a table: looking for many of them in a ``JSONObject`` takes as many walks over all.
package struct IndexedJSONObject {
    /// The object itself.
    package private(set) var object: JSONObject
    /// Of several members of a name the last counts, as in ``JSONObject``.
    private var places: [String: Int] = [:]

    package init(_ object: JSONObject) {
        self.object = object
        places.reserveCapacity(object.members.count)
        for (place, member) in object.members.enumerated() { places[member.name] = place }
    }

    /// The value of the last member of this name.
    package subscript(name: String) -> JSONValue? { places[name].map { object.members[$0].value } }

    /// Puts a member behind the others; of its name it is the one that is found.
    package mutating func append(_ member: JSONObject.Member) {
        places[member.name] = object.members.count
        object.members.append(member)
    }

    /// Gives a member a value, be it there or not; of several the last one.
    package mutating func set(_ name: String, _ value: JSONValue) {
        if let place = places[name] {
            object.members[place].value = value
        } else {
            append(JSONObject.Member(name: name, value: value))
        }
    }
}
