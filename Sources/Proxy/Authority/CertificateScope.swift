internal import Captures
internal import LibCrypto

/// The servers that an authority of one recording may sign for.
///
/// Names as ``HostPattern`` reads them, addresses, and ranges of addresses (`10.0.0.0/8`, `fd00::/8`). The recorder's own
/// name is always among them, so that a client can see whether it is intercepted.
package struct CertificateScope: Sendable, Hashable, CustomStringConvertible {
    private var patterns: [HostPattern] = []
    private var names: [String] = []
    private var networks: [NameConstraints.Network] = []
    /// As people read it: the entries as they were given.
    package let description: String

    /// Reads the entries, one at least.
    ///
    /// - Throws: ``CertificateScopeError``, what is not as it should be.
    package init(_ entries: [String]) throws(CertificateScopeError) {
        description = entries.joined(separator: ", ")
        for entry in entries {
            if let network = try Self.network(entry) {
                networks.append(network)
            } else {
                names.append(try Self.name(entry))
                patterns.append(HostPattern(entry))
            }
        }
    }

    /// Whether a name, or an address without brackets, is in it.
    package func contains(_ host: String) -> Bool {
        switch LeafCertificates.name(of: host.lowercased()) {
        case .address(let bytes): networks.contains { $0.contains(bytes) }
        case .host(let name):
            HostPattern(OwnAddress.name).matches(name) || patterns.contains { $0.matches(name) }
        }
    }

    /// Whether any host that a pattern of `--only` names is in it.
    package func overlaps(_ pattern: HostPattern) -> Bool {
        let text = pattern.description
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        if contains(name.hasPrefix(".") ? String(name.dropFirst()) : name) { return true }
        return names.contains { pattern.matches($0) }
    }

    /// What its certificates say of it.
    ///
    /// A certificate cannot permit a name without those below it, so that these are wider than ``contains(_:)``.
    var constraints: NameConstraints {
        var hosts: [String] = []
        for name in names + [OwnAddress.name] where !hosts.contains(name) { hosts.append(name) }
        return NameConstraints(hosts: hosts, networks: networks)
    }

    // MARK: - Reading

    /// Nil for what is no address and no range.
    private static func network(
        _ entry: String
    ) throws(CertificateScopeError) -> NameConstraints.Network? {
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false)
        let host = parts[0].withoutBrackets
        guard case .address(let bytes) = LeafCertificates.name(of: String(host)) else {
            if parts.count == 2, parts[1].utf8.allSatisfy(\.isASCIIDigit) { throw .notARange(entry) }
            return nil
        }
        guard parts.count > 1 else {
            return NameConstraints.Network(bytes, prefixLength: bytes.count * 8)
        }
        guard parts.count == 2, parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy(\.isASCIIDigit),
            let length = Int(parts[1]), length <= bytes.count * 8
        else { throw .notARange(entry) }
        return NameConstraints.Network(bytes, prefixLength: length)
    }

    /// The name without what stands for those below it.
    private static func name(_ entry: String) throws(CertificateScopeError) -> String {
        var name = entry.lowercased().withoutFinalDot
        if name.hasPrefix("*.") {
            name = name.dropFirst(2)
        } else if name.hasPrefix(".") {
            name = name.dropFirst()
        }
        if name.contains(":") { throw .notAName(entry) }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII(entry) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            name.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy {
                        $0.isASCIIDigit || (0x61...0x7a).contains($0) || $0 == 0x2d || $0 == 0x5f
                    }
            }
        // A mistyped address is no name: no domain is a number (RFC 3696, section 2).
        guard isName, labels.last?.utf8.allSatisfy(\.isASCIIDigit) == false else { throw .notAName(entry) }
        return String(name)
    }

}

/// Why a text names no servers for a ``CertificateScope``.
package enum CertificateScopeError: Error, Equatable, CustomStringConvertible {
    /// Neither a name nor an address.
    case notAName(String)
    /// A name that is not written as DNS has it.
    case notASCII(String)
    /// There is a `/`, and no range of addresses.
    case notARange(String)

    package var description: String {
        switch self {
        case .notAName(let text): "\(text.isEmpty ? "nothing" : text) is no host name and no address"
        case .notASCII(let text): "\(text) is not written as certificates have it: xn--…, in ASCII"
        case .notARange(let text): "\(text) is no range of addresses"
        }
    }
}
