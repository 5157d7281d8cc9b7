import Captures
import Flows

extension Flow {
    /// Indices of `log.entries` before an exchange in time, nearest first, as far as a span of time reaches; without assets.
    func exchanges(before exchange: Int, within span: Duration) -> [Int] {
        let start = capture[exchange].startedAt
        return surroundings.withoutAssets(before: exchange).reversed()
            .drop { capture[$0].startedAt >= start }.prefix(500)
            .prefix { start - capture[$0].startedAt <= span }
    }

    /// Indices of `log.entries` after an exchange in time, nearest first, as far as a span of time reaches.
    func exchanges(after exchange: Int, within span: Duration) -> [Int] {
        let start = capture[exchange].startedAt
        return surroundings.order.dropFirst(surroundings.position[exchange] + 1).prefix(1000)
            .prefix { capture[$0].startedAt - start <= span }
    }
}
