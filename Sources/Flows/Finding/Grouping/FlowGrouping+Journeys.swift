import Captures
import OAuth

/// Sign-ins that an app makes itself at ForgeRock's API, and that were refused before it asked for anything: its SDKs ask for a code
/// once they have a session.
extension FlowGrouping {
    /// Those that end in a refusal: who got a session behind it, filled in another step, or asked for a code, was not refused yet.
    mutating func joinRefusedJourneys() {
        var journeys: [String: [Int]] = [:]
        var hosts: [String] = []
        for exchange in index.order
        where byExchange[exchange] == nil && index.messages[exchange] == nil
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
        for host in hosts {
            guard let steps = journeys[host], let first = steps.first, let last = steps.last,
                ForgeRockStep.refusal(in: capture[last]) != nil,
                (asked[host] ?? -1) < index.position[last]
            else { continue }
            let flow = new(grant: "authorization_code", first)
            know(host, of: flow)
            for step in steps {
                attach(step, to: flow)
                flow.interactions.insert(step)
            }
        }
    }
}
