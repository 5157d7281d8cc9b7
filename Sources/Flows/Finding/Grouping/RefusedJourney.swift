import Captures
import OAuth

/// A sign-in that an app makes itself at ForgeRock's API, and that was refused before it asked for anything: its SDKs ask for a code
/// once they have a session.
struct RefusedJourney {
    let host: String
    /// At least one, in order.
    let steps: [Int]

    /// Those that end in a refusal: who got a session behind it, filled in another step, or asked for a code, was not refused yet.
    ///
    /// `isTaken`: whether an exchange is of a flow already.
    static func all(in index: CaptureIndex, isTaken: (Int) -> Bool) -> [RefusedJourney] {
        let capture = index.capture
        var journeys: [String: [Int]] = [:]
        var hosts: [String] = []
        for exchange in index.order
        where !isTaken(exchange) && index.messages[exchange] == nil
            && ForgeRockStep.isOne(capture[exchange]) && !ForgeRockStep.isKept(capture[exchange])
        {
            guard let host = capture[exchange].request.url.host else { continue }
            if journeys[host] == nil { hosts.append(host) }
            // Who got in begins anew behind it.
            if ForgeRockStep.session(in: capture[exchange]) != nil {
                journeys[host] = []
                continue
            }
            journeys[host, default: []].append(exchange)
        }
        // Where each host was asked for a code last.
        var asked: [String: Int] = [:]
        for request in index.authorizationRequests {
            let host = request.endpoint.host ?? ""
            asked[host] = max(asked[host] ?? -1, index.position[request.exchange])
        }
        return hosts.compactMap { host in
            guard let steps = journeys[host], let last = steps.last,
                ForgeRockStep.refusal(in: capture[last]) != nil,
                (asked[host] ?? -1) < index.position[last]
            else { return nil }
            return RefusedJourney(host: host, steps: steps)
        }
    }
}
