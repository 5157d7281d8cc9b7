import Captures
import Foundation
import Proxy

extension CommandFailure {
    /// Runs what the proxy may refuse, and words the refusal for the terminal.
    static func wrapping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as ProxyError { throw CommandFailure(error) }
    }

    init(_ error: ProxyError) {
        self.init(Self.status(of: error), Self.words(of: error), hint: Self.hint(for: error))
    }

    private static func status(of error: ProxyError) -> ExitStatus {
        switch error {
        case .addressInUse, .reverseAddressInUse, .cannotListen: .unavailable
        case .authority, .authorityOwner, .authorityFolderOpen, .authorityForeign: .noInput
        case .authorityCorrupt, .trustRecords: .dataError
        case .tls: .bug
        }
    }

    private static func words(of error: ProxyError) -> String {
        guard case .authorityOwner(let path, let owner) = error else { return "\(error)" }
        return "\(path): belongs to another user (\(name(of: owner))), who could read what you record"
    }

    private static func name(of owner: uid_t) -> String {
        getpwuid(owner).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "\(owner)"
    }

    private static func hint(for error: ProxyError) -> String? {
        switch error {
        case .addressInUse: "choose another port: --listen 127.0.0.1:0 picks a free one"
        case .reverseAddressInUse(let origin, let host, _):
            "end that program, or choose another port: "
                + "--reverse \(origin)=\(URLAuthority.bracketed(host)):0 picks a free one"
        case .cannotListen(let host, let port, _):
            (1..<1024).contains(port)
                ? "ports below 1024 may want rights of their own: use one above"
                : "is \(host) an address of this computer? 127.0.0.1 always is, 0.0.0.0 stands for all of them"
        case .authority: "the recorder's certificate is kept there: --ca-dir DIR uses another folder"
        case .authorityOwner(_, let owner):
            "run authreel as \(name(of: owner)), or use a folder of your own with --ca-dir DIR"
        case .authorityFolderOpen(let path):
            "choose a folder of its own: --ca-dir \(ShellWord.quoted(path + "/authreel"))"
        case .authorityForeign(let path):
            "choose a folder of its own: --ca-dir "
                + ShellWord.quoted(URL(filePath: path).deletingLastPathComponent().path + "/authreel")
                + "; record --upstream-ca FILE trusts the authority of a provider"
        case .authorityCorrupt:
            "put back a copy of the file, or make a new authority: \(Invocation.name) ca rotate"
        case .trustRecords(let path, _):
            "remove it (rm \(ShellWord.quoted(path))); \(Invocation.name) ca untrust --all finds what is there"
        case .tls: nil
        }
    }
}
