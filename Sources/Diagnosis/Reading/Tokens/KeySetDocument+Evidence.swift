import Captures
import Flows
import JOSE
import OAuth

extension KeySetDocument {
    /// Whether it has a key of this id.
    func holds(_ kid: String) -> Bool { keys?.keys.contains { $0.id == kid } ?? false }

    /// The kids of a key set of the app's.
    var appEvidence: Evidence { evidence(note: "the app's key set") }

    /// The first kids of a key set.
    func evidence(note: String) -> Evidence {
        let kids = Array((keys?.keys ?? []).lazy.compactMap(\.id).prefix(12))
        return Evidence(
            place: Place(exchange: exchange, part: .responseBody, name: "keys"),
            value: Masking.shown(
                kids.isEmpty ? "no kid" : kids.joined(separator: ", "),
                of: "kid"
            ),
            note: note
        )
    }
}
