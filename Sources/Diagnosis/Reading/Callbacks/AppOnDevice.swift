import Captures
import Flows
import JOSE
import OAuth

/// What shows that a login is one of an app on a device.
enum AppOnDevice {
    /// An answer to an app that holds the code challenge of a request, or the `request_uri` of what was pushed (RFC 9126): its
    /// back end made it.
    static func fetch(of request: AuthorizationRequest, in flow: Flow) -> Int? {
        let marks = [request.codeChallenge, request.parameters["request_uri"]].compactMap(\.self)
            .filter { $0.utf8.count >= 20 && !Placeholder.isOne($0) }
        guard !marks.isEmpty else { return nil }
        let wanted = Set(marks + marks.map { PercentEncoding.encode($0) }).map { Array($0.utf8) }
        let start = flow.capture[request.exchange].startedAt
        return answers(before: request.exchange, in: flow.surroundings).reversed()
            .drop { flow.capture[$0].startedAt >= start }.prefix(500)
            .prefix { start - flow.capture[$0].startedAt <= .seconds(300) }
            .first { index in
                guard let bytes = flow.capture[index].response?.body?.bytes else { return false }
                return wanted.contains { bytes.firstRange(of: $0) != nil }
            }
    }

    /// What apps were answered before an exchange, in order of time.
    private static func answers(before exchange: Int, in index: CaptureIndex) -> ArraySlice<Int> {
        let all = index.derived.value { AppAnswers(index) }.exchanges
        return all[..<all.partitionPoint { index.position[$0] >= index.position[exchange] }]
    }

    /// Whether an agent is that of an iPhone or iPad; those that name themselves a Mac are not told.
    static func isIOS(_ agent: String) -> Bool {
        ["iPhone", "iPad", "iPod"].contains(where: agent.containsBytes)
    }
}

/// Exchanges of apps on a device whose answers may hold something, in order of time.
private struct AppAnswers: Sendable {
    let exchanges: [Int]

    init(_ index: CaptureIndex) {
        exchanges = index.order.filter { exchange in
            let recorded = index.capture[exchange]
            guard let body = recorded.response?.body, (body.size ?? 0) < 1 << 16 else { return false }
            return recorded.request.isByNativeApp
        }
    }
}
