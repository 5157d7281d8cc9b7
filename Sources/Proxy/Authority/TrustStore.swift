internal import Captures

/// A place where clients look for the authorities that they trust.
package enum TrustStore: Sendable, Hashable {
    /// The system's: curl, OpenSSL, Go, Python's ssl and most package managers.
    case system(SystemStore)
    /// A database of NSS: Chromium and Chrome share one, Firefox has one for each profile.
    case nss(folder: String)
    /// A keystore of Java; the path is without links.
    case java(keystore: String)

    /// As `--store` names them.
    package enum Kind: String, Sendable, CaseIterable {
        case system
        case nss
        case java
    }

    package var kind: Kind {
        switch self {
        case .system: .system
        case .nss: .nss
        case .java: .java
        }
    }

    /// What people call it.
    package var title: String {
        switch self {
        case .system(let store): store.title
        case .nss(let folder): "the NSS database \(ShellWord.quoted(folder))"
        case .java(let keystore): "the Java keystore \(ShellWord.quoted(keystore))"
        }
    }
}

/// Why a store could not be looked into.
struct StoreUnreadable: Error {
    var reason: String
    var advice: String
}
