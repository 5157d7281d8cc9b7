@testable import Sharing

extension StandIns {
    /// The same each time; keys have none.
    static func fixed(_ found: FoundSecrets = FoundSecrets()) -> StandIns {
        StandIns(
            found,
            options: SharingOptions(),
            random: { [UInt8](repeating: 7, count: $0) },
            makeKey: { _ in nil }
        )
    }
}
