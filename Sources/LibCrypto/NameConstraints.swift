/// The servers that an authority may sign for (RFC 5280, section 4.2.1.10).
///
/// A constraint on names of one kind leaves all other kinds free. So each kind that nothing is permitted of is ruled
/// out as a whole.
package struct NameConstraints: Sendable, Hashable {
    /// A range of addresses.
    package struct Network: Sendable, Hashable {
        /// Its first address: 4 bytes (IPv4) or 16 (IPv6), in network order.
        let address: [UInt8]
        /// How many bits all its addresses share.
        let prefixLength: Int

        /// Makes a range; bits of the address behind the prefix are cleared.
        ///
        /// - Parameters:
        ///   - address: any address in it, of 4 or 16 bytes.
        ///   - prefixLength: 0 up to as many bits as the address has.
        package init(_ address: [UInt8], prefixLength: Int) {
            self.prefixLength = prefixLength
            self.address = zip(address, Self.mask(prefixLength, count: address.count)).map { $0 & $1 }
        }

        /// Whether an address of 4 or 16 bytes is in it; one of the other family is not.
        package func contains(_ other: [UInt8]) -> Bool {
            other.count == address.count && Network(other, prefixLength: prefixLength).address == address
        }

        /// As it stands in a certificate: the address, and behind it the mask.
        fileprivate var base: [UInt8] { address + Self.mask(prefixLength, count: address.count) }

        private static func mask(_ prefixLength: Int, count: Int) -> [UInt8] {
            (0..<count).map { index in
                let bits = min(max(prefixLength - index * 8, 0), 8)
                return UInt8(truncatingIfNeeded: 0xff00 >> bits)
            }
        }
    }

    /// Each in ASCII: it, and every name below it, which is as narrow as a constraint on names can be.
    var hosts: [String]
    /// Of a family (IPv4, IPv6) without one here no address is permitted.
    var networks: [Network]

    package init(hosts: [String], networks: [Network]) {
        self.hosts = hosts
        self.networks = networks
    }

    /// What an entry of the extension is about.
    enum Kind { case host, network, mailbox, uri }

    /// The extension's entries.
    var subtrees: [(isExcluded: Bool, kind: Kind, base: [UInt8])] {
        // Adding labels to nothing makes any name.
        var list: [(isExcluded: Bool, kind: Kind, base: [UInt8])] =
            hosts.isEmpty
            ? [(true, .host, [])] : hosts.map { (false, .host, Array($0.utf8)) }
        list += networks.map { (false, .network, $0.base) }
        for count in [4, 16] where !networks.contains(where: { $0.address.count == count }) {
            if networks.isEmpty {
                list.append(
                    (true, .network, Network([UInt8](repeating: 0, count: count), prefixLength: 0).base)
                )
            } else {
                // GnuTLS looks at the families one by one, and Java fails on an IPv4 address where all of IPv6 is ruled
                // out: what is permitted is an address that nobody has.
                let nobody = Network([UInt8](repeating: 0xff, count: count), prefixLength: count * 8)
                list.append((false, .network, nobody.base))
            }
        }
        // An empty base means nothing to these kinds: what is permitted is a name that nobody has (RFC 2606, section
        // 2). Names of directories are left out, since Go refuses an authority with a constraint on them; no client
        // takes one for a server's.
        list.append((false, .mailbox, Array("nobody.invalid".utf8)))
        list.append((false, .uri, Array("nobody.invalid".utf8)))
        return list
    }
}
