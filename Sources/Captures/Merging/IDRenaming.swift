import JSON

/// Keeps apart what two files call by the same name: connections and pages.
struct IDRenaming: Sendable {
    /// Of each file, what its connections and pages are called now where that is something else.
    private var connections: [[String: String]] = []
    private var pages: [[String: String]] = []

    init(_ captures: [Capture]) {
        var takenConnections: Set<String> = []
        var takenPages: Set<String> = []
        for (file, capture) in captures.enumerated() {
            let ids = Set(capture.indices.compactMap { capture[$0].connection.id })
            connections.append(Self.names(ids, file: file, &takenConnections))
            let listed = (capture.logMembers["pages"]?.array ?? []).compactMap { $0["id"]?.string }
            let used = capture.indices.compactMap { capture[$0].foreign["pageref"]?.string }
            pages.append(Self.names(Set(listed).union(used), file: file, &takenPages))
        }
    }

    private static func names(_ ids: Set<String>, file: Int, _ taken: inout Set<String>) -> [String: String] {
        var names: [String: String] = [:]
        for id in ids.intersection(taken).sorted() {
            var number = file + 1
            var name = "\(id)-\(number)"
            while taken.contains(name) || ids.contains(name) {
                number += 1
                name = "\(id)-\(number)"
            }
            names[id] = name
            taken.insert(name)
        }
        taken.formUnion(ids)
        return names
    }

    /// Puts the new names into an exchange.
    func rename(_ exchange: inout Exchange, of file: Int) {
        if let id = exchange.connection.id, let name = connections[file][id] {
            var facts = exchange.connection
            facts.id = name
            exchange.connection = facts
        }
        if let page = exchange.foreign["pageref"]?.string, let name = pages[file][page] {
            exchange.foreign["pageref"] = .string(name)
        }
    }

    /// The pages of a file under their new names.
    func renamed(pages list: [JSONValue], of file: Int) -> [JSONValue] {
        list.map { page in
            guard var object = page.object, let id = object["id"]?.string, let name = pages[file][id] else {
                return page
            }
            object["id"] = .string(name)
            return .object(object)
        }
    }
}
