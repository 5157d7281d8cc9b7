import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The keys that tokens are verified by.
enum TokenKeys {
    /// Those of a key set, or one key.
    case listed([JSONWebKey])
    /// Of a capture, for each token those of its issuer.
    case recorded(CaptureIndex)

    private static let form =
        "--jwks takes a key set, {\"keys\": [...]}, or a capture in which the client fetched it"

    /// Reads a file, or standard input (`-`).
    ///
    /// - Throws: ``CommandFailure`` where it cannot be read, or has no keys.
    init(path: String) throws {
        if path.hasPrefix("https://") || path.hasPrefix("http://") {
            throw CommandFailure(
                .noInput,
                "\(path): no such file",
                hint:
                    "nothing is fetched here: curl -o keys.json \(ShellWord.quoted(path)) makes the file for --jwks keys.json"
            )
        }
        let bytes = try InputFile.bytes(path, for: Self.form)
        if var capture = try? CaptureReader.read(bytes: bytes, name: path), capture.count > 0 {
            if path != "-" { capture.takeBodies(fromFilesBeside: path) }
            self = .recorded(try Self.index(of: capture, path))
        } else {
            self = .listed(try Self.keys(in: bytes, of: path))
        }
    }

    /// Whether each issuer has keys of its own.
    var areOfIssuers: Bool {
        if case .recorded = self { true } else { false }
    }

    /// The keys of an issuer; without one, as that of an encrypted token is not seen, all of them.
    func keys(of issuer: String?) -> [JSONWebKey] {
        switch self {
        case .listed(let keys): keys
        case .recorded(let index): index.keys(of: issuer)
        }
    }

    private static func index(of capture: Capture, _ path: String) throws -> CaptureIndex {
        let index = CaptureIndex(capture)
        guard index.keySets.contains(where: { $0.keys != nil }) else {
            throw CommandFailure(
                .dataError,
                "\(path): there is no key set in this capture",
                hint: "curl -o keys.json URL makes the file, with the jwks_uri of the issuer's metadata"
            )
        }
        return index
    }

    private static func keys(in bytes: [UInt8], of path: String) throws -> [JSONWebKey] {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            let isPEM = bytes.starts(with: Array("-----BEGIN ".utf8))
            throw CommandFailure(
                .dataError,
                isPEM ? "\(path) is PEM, and a key set is JSON" : "\(path):\(error)",
                hint: form
            )
        }
        if let set = JSONWebKeySet(json: value) { return set.keys }
        guard let key = value.object, key["kty"] != nil else {
            throw CommandFailure(
                .dataError,
                "\(path): expected an object with an array \"keys\"",
                hint: form
            )
        }
        return [JSONWebKey(json: key)]
    }
}
