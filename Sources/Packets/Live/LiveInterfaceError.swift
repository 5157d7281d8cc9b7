internal import Captures

/// Why packets of an interface could not be recorded.
package enum LiveInterfaceError: Error, Equatable, CustomStringConvertible {
    /// There is no interface of that name; those that there are.
    case noSuchInterface(name: String, known: [String])
    /// The system lets only some read packets; the words of ``description`` say how to become one of them.
    case notPermitted(name: String, program: String)
    /// The interface is down.
    case notUp(name: String)
    /// The filter is none; libpcap's words.
    case filter(expression: String, reason: String)
    /// Anything else; libpcap's words.
    case failed(name: String, reason: String)

    package var description: String {
        switch self {
        case .noSuchInterface(let name, let known):
            "no interface \(name)"
                + (known.isEmpty ? "" : "; there are: \(known.joined(separator: ", "))")
        case .notPermitted(let name, _): "no permission to read the packets of \(name)"
        case .notUp(let name): "the interface \(name) is down"
        case .filter(let expression, let reason): "the filter \"\(expression)\": \(reason)"
        case .failed(let name, let reason): "\(name): \(reason)"
        }
    }

    /// What to do about it, with the very command where there is one.
    package var hint: String? {
        switch self {
        case .notPermitted(_, let program):
            #if os(Linux)
            "sudo setcap cap_net_raw,cap_net_admin+eip \(ShellWord.quoted(program)), or run that with sudo"
            #else
            "run it with sudo, or let your user read /dev/bpf* (as ChmodBPF of Wireshark does)"
            #endif
        case .notUp(let name): "sudo ip link set \(name) up"
        case .filter:
            "filters are those of tcpdump, for example: tcp port 443 and host idp.example (man pcap-filter)"
        case .noSuchInterface(_, let known):
            known.contains("any")
                ? "--interface any reads all of them" : known.first.map { "for example --interface \($0)" }
        case .failed: nil
        }
    }
}
