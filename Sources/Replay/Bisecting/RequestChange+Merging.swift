import Captures

extension [RequestChange] {
    /// What the client does otherwise in all its requests is one change: a header, its secret, the provider's host.
    var merged: [RequestChange] {
        var result: [RequestChange] = []
        var places: [String: Int] = [:]
        for change in self {
            guard let key = change.commonKey else {
                result.append(change)
                continue
            }
            if let place = places[key] {
                result[place].locations += change.locations
                result[place].edits += change.edits
            } else {
                places[key] = result.count
                result.append(change)
            }
        }
        return result
    }
}

extension RequestChange {
    /// What it has in common with the same change of another request; nil of one that each request has by itself.
    fileprivate var commonKey: String? {
        switch edits.first {
        case .header:
            return ["header", difference.name, difference.expected ?? "", difference.seen ?? ""].joined(
                separator: "\n"
            )
        case .credential, .authentication, .encodesCredentials, .secretTwice:
            return [
                "client", difference.label, difference.expected ?? "", difference.seen ?? "",
                difference.note,
            ].joined(separator: "\n")
        case .carrier: return "form\n\(difference.note)"
        case .address:
            let urls = [difference.expected, difference.seen].map { RecordedURL($0 ?? "") }
            guard urls[0].origin != urls[1].origin, urls[0].path == urls[1].path else { return nil }
            return ["address", urls[0].origin ?? "", urls[1].origin ?? ""].joined(separator: "\n")
        default: return nil
        }
    }
}
