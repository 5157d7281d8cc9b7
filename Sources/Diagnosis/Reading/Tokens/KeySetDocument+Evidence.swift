import Captures
import Flows
import JOSE
import OAuth

extension KeySetDocument {
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
