import Replay

/// Why exchanges are left out of a plan, in words.
enum LeftOutWords {
    /// The exchanges by reason, in the order in which the reasons are met.
    static func grouped(_ leftOut: [ReplayPlan.LeftOut]) -> [(String, [Int])] {
        var groups: [(String, [Int])] = []
        for item in leftOut {
            guard let words = words(item.reason) else { continue }
            if let index = groups.firstIndex(where: { $0.0 == words }) {
                groups[index].1.append(item.exchange)
            } else {
                groups.append((words, [item.exchange]))
            }
        }
        return groups
    }

    /// Nil for what nobody misses.
    static func words(_ reason: ReplayPlan.LeftOut.Reason) -> String? {
        switch reason {
        case .app(let origin): "the app's own (\(origin); --allow-host drives it, too)"
        case .stranger(let origin): "somebody else's (\(origin); --allow-host drives it, too)"
        case .sentByProvider: "sent by the provider to the app"
        case .sentByApp: "sent by the app's server, which is driven itself"
        case .repeated: "not answered, and repeated with an answer"
        case .neverSent: "not sent by the browser, which had been redirected too often"
        case .drivenBefore: "driven with the flow before"
        case .unusedRegistration: "registers a client that takes no part in this flow"
        case .recordedPage: "the recorded provider's own pages"
        case .noSuchEndpoint: "at an endpoint that the other provider's metadata does not name"
        case .preflight, .asset, .connection: nil
        }
    }

    /// The name of a reason for programs.
    static func name(_ reason: ReplayPlan.LeftOut.Reason) -> String {
        switch reason {
        case .app: "app"
        case .stranger: "stranger"
        case .preflight: "preflight"
        case .asset: "asset"
        case .sentByProvider: "sent_by_provider"
        case .sentByApp: "sent_by_app"
        case .repeated: "repeated"
        case .neverSent: "never_sent"
        case .drivenBefore: "driven_before"
        case .unusedRegistration: "unused_registration"
        case .recordedPage: "recorded_page"
        case .noSuchEndpoint: "no_such_endpoint"
        case .connection: "connection"
        }
    }
}
