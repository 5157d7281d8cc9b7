import LibCrypto
import Synchronization

/// Keys for what is shared, made once and lent to every test: to make one of RSA takes longer than to share a capture.
enum LentKeys {
    private static let made = Mutex<[PrivateKey.Kind: [PrivateKey]]>([:])

    /// For captures that are shared together: each time another key.
    static func lender() -> (PrivateKey.Kind) -> PrivateKey? {
        var lent: [PrivateKey.Kind: Int] = [:]
        return { kind in
            let number = lent[kind, default: 0]
            lent[kind] = number + 1
            return made.withLock { made in
                if made[kind, default: []].count == number, let key = try? PrivateKey.generate(kind) {
                    made[kind, default: []].append(key)
                }
                let keys = made[kind] ?? []
                return number < keys.count ? keys[number] : nil
            }
        }
    }
}
