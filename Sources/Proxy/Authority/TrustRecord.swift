internal import Captures
internal import JSON
internal import LibCrypto

/// What one change of a store was, as far as the store itself does not tell: what `untrust` has to know.
package struct TrustRecord: Sendable, Hashable {
    package var store: TrustStore
    package var authority: AuthorityIdentity
    /// Folders that were made for it, outermost first.
    package var madeFolders: [String] = []
    /// Whether the database was made for it.
    package var madeDatabase = false
    /// The keystore as it was before.
    package var backup: KeystoreBackup?

    package init(
        store: TrustStore,
        authority: AuthorityIdentity,
        madeFolders: [String] = [],
        madeDatabase: Bool = false
    ) {
        self.store = store
        self.authority = authority
        self.madeFolders = madeFolders
        self.madeDatabase = madeDatabase
    }

    /// A copy of a keystore, kept in the authority's folder.
    ///
    /// A keystore that `keytool` has written twice is never the same again, byte for byte (salt, dates, order).
    package struct KeystoreBackup: Sendable, Hashable {
        /// The file's name in the authority's folder.
        package var file: String
        /// SHA-256 of the keystore before the change, and so of the copy.
        package var before: String
        /// SHA-256 after the change: a keystore that has changed since is not put back but edited.
        package var after: String?
    }
}

extension TrustRecord {
    /// Whether both are about one authority in one store.
    package func isAbout(_ other: TrustRecord) -> Bool {
        store == other.store && authority == other.authority
    }

    /// SHA-256 in hexadecimal digits.
    package static func digest(of bytes: [UInt8]) -> String { Hexadecimal.encode(Digest.of(bytes)) }
}

/// All that is remembered of changed stores, in the order it was done.
package struct TrustRecords: Sendable, Hashable {
    package var records: [TrustRecord] = []
    /// Stores that an unfinished rotation has still to trust the new authority in.
    package var pending: [TrustStore] = []

    package init(records: [TrustRecord] = [], pending: [TrustStore] = []) {
        self.records = records
        self.pending = pending
    }

    package var isEmpty: Bool { records.isEmpty && pending.isEmpty }

    /// Takes a record in; one about the same authority in the same store is replaced.
    package mutating func add(_ record: TrustRecord) {
        if let index = records.firstIndex(where: { $0.isAbout(record) }) {
            records[index] = record
        } else {
            records.append(record)
        }
    }

    /// The stores that hold anything, each once, in order.
    package var stores: [TrustStore] {
        records.map(\.store).eachOnce()
    }

    static let version: Int64 = 1

    /// The text of the file.
    package var json: [UInt8] {
        var root = JSONObject()
        root["version"] = JSONValue(Self.version)
        root["trusted"] = .array(records.map(\.json))
        if !pending.isEmpty { root["pending"] = .array(pending.map { .object($0.json) }) }
        return JSONWriter.bytes(of: .object(root), indented: true) + [0x0a]
    }

    /// Reads the text of the file.
    ///
    /// - Throws: ``TrustRecordError`` with what is wrong.
    package init(json: [UInt8]) throws(TrustRecordError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(json) } catch {
            throw TrustRecordError(reason: "\(error)")
        }
        guard value["version"]?.int == Self.version else {
            throw TrustRecordError(reason: "written by another version of authreel")
        }
        for entry in value["trusted"]?.array ?? [] {
            guard let record = TrustRecord(json: entry) else {
                throw TrustRecordError(reason: "entry \(records.count + 1) cannot be read")
            }
            records.append(record)
        }
        pending = (value["pending"]?.array ?? []).compactMap(TrustStore.init(json:))
    }
}

/// Why the remembered changes could not be read.
package struct TrustRecordError: Error, Equatable {
    package var reason: String
}

extension TrustRecord {
    fileprivate var json: JSONValue {
        var object = store.json
        object["fingerprint"] = .string(authority.fingerprint)
        object["certificate"] = .string((try? Certificate(der: authority.der))?.pem ?? "")
        if !madeFolders.isEmpty { object["made_folders"] = .array(madeFolders.map { .string($0) }) }
        if madeDatabase { object["made_database"] = true }
        if let backup {
            var copy = JSONObject([("file", .string(backup.file)), ("before", .string(backup.before))])
            copy["after"] = backup.after.map { .string($0) }
            object["backup"] = .object(copy)
        }
        return .object(object)
    }

    fileprivate init?(json: JSONValue) {
        guard let store = TrustStore(json: json), let pem = json["certificate"]?.string,
            let certificate = try? Certificate.all(pem: Array(pem.utf8)).first
        else { return nil }
        self.store = store
        authority = AuthorityIdentity(certificate)
        madeFolders = (json["made_folders"]?.array ?? []).compactMap(\.string)
        madeDatabase = json["made_database"]?.bool == true
        if let copy = json["backup"], let file = copy["file"]?.string, let before = copy["before"]?.string,
            // Read below the authority's folder only.
            !file.contains("/"), !file.hasPrefix(".")
        {
            backup = KeystoreBackup(file: file, before: before, after: copy["after"]?.string)
        }
    }
}

extension TrustStore {
    fileprivate var json: JSONObject {
        switch self {
        case .system(let store): ["store": "system", "system": .string(store.rawValue)]
        case .nss(let folder): ["store": "nss", "folder": .string(folder)]
        case .java(let keystore): ["store": "java", "keystore": .string(keystore)]
        }
    }

    fileprivate init?(json: JSONValue) {
        switch json["store"]?.string {
        case "system":
            guard let store = json["system"]?.string.flatMap(SystemStore.init(rawValue:)) else { return nil }
            self = .system(store)
        case "nss":
            guard let folder = json["folder"]?.string else { return nil }
            self = .nss(folder: folder)
        case "java":
            guard let keystore = json["keystore"]?.string else { return nil }
            self = .java(keystore: keystore)
        default: return nil
        }
    }
}
