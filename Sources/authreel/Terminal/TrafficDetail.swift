/// How much of the traffic is told on stderr while it passes.
enum TrafficDetail: Sendable {
    /// None of it: what came of it alone, such as what broke a login; for a pipe, or where somebody else tells it.
    case outcomes
    /// Each protocol message.
    case messages
    /// Each exchange as well.
    case exchanges
}
