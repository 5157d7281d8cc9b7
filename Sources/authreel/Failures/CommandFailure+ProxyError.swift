import Captures
import Foundation
import Proxy

extension CommandFailure {
    /// Runs what the proxy may refuse, and words the refusal for the terminal.
    static func wrapping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as ProxyError { throw CommandFailure(error) }
    }

    init(_ error: ProxyError) {
        switch error {
        case .addressInUse:
            self.init(
                .unavailable,
                "\(error)",
                hint: "choose another port: --listen 127.0.0.1:0 picks a free one"
            )
        case .reverseAddressInUse(let origin, let host, _):
            self.init(
                .unavailable,
                "\(error)",
                hint: "end that program, or choose another port: "
                    + "--reverse \(origin)=\(ProxyOptions.bracketed(host)):0 picks a free one"
            )
        case .cannotListen(let host, let port, _):
            self.init(
                .unavailable,
                "\(error)",
                hint: (1..<1024).contains(port)
                    ? "ports below 1024 may want rights of their own: use one above"
                    : "is \(host) an address of this computer? 127.0.0.1 always is, 0.0.0.0 stands for all of them"
            )
        case .authority: self.init(.noInput, "\(error)", hint: "--ca-dir DIR uses another folder")
        case .authorityOwner(let path, let owner):
            let name =
                getpwuid(owner).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "\(owner)"
            self.init(
                .noInput,
                "\(path): belongs to another user (\(name)), who could read what you record",
                hint: "run authreel as \(name), or use a folder of your own with --ca-dir DIR"
            )
        case .authorityFolderOpen(let path):
            self.init(
                .noInput,
                "\(error)",
                hint: "choose a folder of its own: --ca-dir \(ShellWord.quoted(path + "/authreel"))"
            )
        case .authorityCorrupt:
            self.init(
                .dataError,
                "\(error)",
                hint: "put back a copy of the file, or make a new authority: \(Invocation.name) ca rotate"
            )
        case .trustRecords(let path, _):
            self.init(
                .dataError,
                "\(error)",
                hint:
                    "remove it (rm \(ShellWord.quoted(path))); \(Invocation.name) ca untrust --all finds what is there"
            )
        case .tls: self.init(.bug, "\(error)", hint: nil)
        }
    }
}
