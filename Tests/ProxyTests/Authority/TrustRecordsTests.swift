import Captures
import Testing

@testable import Proxy

struct TrustRecordsTests {
    @Test func whatIsRememberedIsReadBack() throws {
        let (made, _) = try CertificateAuthority.make(now: Timestamp(seconds: 1_795_219_200))
        let identity = AuthorityIdentity(made.certificate)
        var records = TrustRecords()
        #expect(records.isEmpty)
        records.add(TrustRecord(store: .system(.debian), authority: identity, madeFolders: ["/a b"]))
        records.add(TrustRecord(store: .nss(folder: "/h/\u{e9}"), authority: identity, madeDatabase: true))
        var java = TrustRecord(store: .java(keystore: "/k"), authority: identity)
        java.backup = .init(file: "keystore-1.bak", before: "1", after: nil)
        records.add(java)
        java.backup?.after = "2"
        records.add(java)
        records.pending = [.system(.arch), .nss(folder: "/n")]
        #expect(records.records.count == 3)
        #expect(try TrustRecords(json: records.json) == records)
    }

    @Test(arguments: [
        "", "{", "{}", "{\"version\":2}", "{\"version\":1,\"trusted\":[{}]}",
        "{\"version\":1,\"trusted\":[{\"store\":\"nss\",\"folder\":\"/n\",\"certificate\":\"x\"}]}",
    ])
    func whatIsNotOursIsRefused(text: String) {
        #expect(throws: TrustRecordError.self) { try TrustRecords(json: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("../../etc/shadow", false), ("..", false), (".hidden", false), ("keystore-1.bak", true),
    ])
    func copyOutsideTheFolderIsNotPutBack(file: String, isKept: Bool) throws {
        let (made, _) = try CertificateAuthority.make(now: Timestamp(seconds: 1_795_219_200))
        var record = TrustRecord(store: .java(keystore: "/k"), authority: AuthorityIdentity(made.certificate))
        record.backup = .init(file: file, before: "1", after: "2")
        let read = try TrustRecords(json: TrustRecords(records: [record]).json).records.first
        #expect(read?.backup?.file == (isKept ? file : nil))
    }
}
