import Captures
import Testing
import Wire

/// What is read of an HTTP/3 connection where packets are not in the capture.
struct HTTP3LossTests {
    private typealias Speaker = HTTP3Speaker

    private var dialogue = HTTP3Dialogue()

    init() { dialogue.pause = .seconds(1) }

    /// The exchanges, and what is not known of them; the same in pieces of any size.
    private func read() -> (exchanges: [Exchange], losses: String?) {
        let whole = dialogue.read()
        for size in [1, 2, 7, 64] {
            let pieces = dialogue.read(piecesOf: size)
            #expect(
                Dialogue.summary(pieces.exchanges) == Dialogue.summary(whole.exchanges),
                "in pieces of \(size)"
            )
            #expect(pieces.losses == whole.losses)
        }
        return whole
    }

    /// A request, all of it in literal fields but `more`, which say where in the table.
    private func request(_ path: String, _ more: [UInt8], inserted: Int, tableBytes: Int = 4096) -> [UInt8] {
        let fields = HTTP2Speaker.request("GET", path).flatMap { Speaker.literal($0.0, $0.1) }
        return Speaker.frame(
            1,
            Speaker.prefix(inserted: inserted, tableBytes: tableBytes) + fields + more
        )
    }

    @Test mutating func anAnswerWhoseRequestIsNotThereIsTold() throws {
        dialogue.server(
            0,
            Speaker.answer("302", [("location", "https://app.example/cb?code=c1")]) + Speaker.data("x"),
            ends: true
        )
        dialogue.client(4, Speaker.request("GET", "/known"), ends: true)
        dialogue.server(4, Speaker.answer("200"), ends: true)
        dialogue.server(8, Speaker.answer("200") + Speaker.data("half"))
        // Nothing was said on this one.
        dialogue.server(12, [], ends: true)
        let (exchanges, losses) = read()
        let missing = "its request is not in the capture"
        #expect(
            exchanges.map { "\($0.request.method) \($0.response?.status ?? 0) \($0.failure ?? "")" } == [
                "GET 200 ", " 302 \(missing)", " 200 \(missing)",
            ]
        )
        let login = try #require(exchanges.dropFirst().first)
        #expect(login.response?.headers.first("location") == "https://app.example/cb?code=c1")
        #expect(login.response?.body?.text == "x" && exchanges.last?.response?.body?.text == "half")
        #expect(login.malformations.isEmpty)
        // When it came, not when the connection ended.
        #expect(login.startedAt < exchanges[0].startedAt && login.duration == .zero)
        #expect(losses == "the URLs of 2 requests")
    }

    @Test mutating func aRequestOfWhichOnlyAPartIsThereIsTold() {
        dialogue.client(0, Array(Speaker.request("GET", "/a").dropLast(3)))
        dialogue.client(4, Array(Speaker.request("GET", "/b").dropLast(3)))
        dialogue.server(4, Speaker.answer("200"), ends: true)
        // Of its head the type, and the beginning of the length.
        dialogue.client(8, Array(Speaker.request("GET", "/c").prefix(2)))
        #expect(
            read().exchanges.map { "\($0.request.method) \($0.response?.status ?? 0) \($0.failure ?? "")" }
                == [
                    " 0 the recording ended", " 200 its request is not in the capture",
                    " 0 the recording ended",
                ]
        )
    }

    @Test mutating func whatIsGivenUpWithoutItsRequestIsTold() {
        dialogue.server(0, Speaker.answer("200") + Speaker.data("half"))
        dialogue.reset(.client, 0, 0x10c)
        dialogue.client(0, Speaker.request("GET", "/late"), ends: true)
        #expect(read().exchanges.map { "\($0.request.method) \($0.response?.status ?? 0)" } == [" 200"])
    }

    /// Without SETTINGS it is not known at once how many fields a section needs; at the end it is.
    @Test mutating func sectionsAreReadWithoutSettings() {
        dialogue.client(HTTP3Dialogue.clientEncoder, Speaker.encoder(4096, [("x-app", "1")]))
        dialogue.client(0, request("/login", Speaker.indexed(0), inserted: 1), ends: true)
        dialogue.server(HTTP3Dialogue.serverEncoder, Speaker.encoder(4096, [("location", "/next")]))
        let answer = Speaker.prefix(inserted: 1, tableBytes: 4096) + Speaker.literal(":status", "302")
        dialogue.server(0, Speaker.frame(1, answer + Speaker.indexed(0)) + Speaker.data("x"), ends: true)
        let (exchanges, losses) = read()
        #expect(exchanges.map(\.request.url.path) == ["/login"])
        let exchange = exchanges.first
        #expect(exchange?.request.headers.first("x-app") == "1" && exchange?.failure == nil)
        #expect(exchange?.response?.status == 302)
        #expect(exchange?.response?.headers.first("location") == "/next")
        #expect(exchange?.response?.body?.text == "x" && exchange?.malformations == [])
        #expect(exchange?.duration == .seconds(2))
        #expect(losses == nil)
    }

    /// Behind so many insertions that numbers may have begun again none is guessed.
    @Test mutating func numbersThatMayHaveGoneRoundAreNotGuessed() {
        let fields = (0..<40).map { ("n", "\($0)") }
        dialogue.client(HTTP3Dialogue.clientEncoder, Speaker.encoder(640, fields))
        let head = request("/login", Speaker.indexed(0), inserted: 40, tableBytes: 640)
        dialogue.client(0, head, ends: true)
        dialogue.server(0, Speaker.answer("200"), ends: true)
        let (exchanges, losses) = read()
        #expect(exchanges.map(\.request.method) == [""] && exchanges.first?.response?.status == 200)
        #expect(
            exchanges.first?.failure
                == "its header fields cannot be read (SETTINGS, which say how they are numbered, are not in the capture)"
        )
        #expect(losses == "the URLs of 1 request")
    }

    /// Both sides allow each other a table.
    private mutating func settings() {
        let settings = Speaker.control([(1, 4096), (7, 16)])
        dialogue.client(HTTP3Dialogue.clientControl, settings)
        dialogue.server(HTTP3Dialogue.serverControl, settings)
    }

    /// A path that is there stands, also where what was asked of it is not known.
    @Test mutating func aMethodThatIsNotKnownTakesNoPathAlong() {
        settings()
        let fields = HTTP2Speaker.request("PATCH", "/a").dropFirst()
        let method = Speaker.prefix(inserted: 1, tableBytes: 4096) + Speaker.indexed(0)
        let head = method + fields.flatMap { Speaker.literal($0.0, $0.1) }
        dialogue.client(0, Speaker.frame(1, head), ends: true)
        dialogue.server(0, Speaker.answer("200"), ends: true)
        let exchange = read().exchanges.first
        #expect(exchange?.request.method == "" && exchange?.response?.status == 200)
        #expect(exchange?.request.url.text == "https://idp.example/a")
        #expect(exchange?.isTargetUnknown == true && exchange?.askedURL == nil)
    }

    /// Of fields whose insertions are missing only these are not known.
    @Test mutating func fieldsThatWereNotInsertedAreLeftOut() {
        settings()
        dialogue.client(HTTP3Dialogue.clientEncoder, Speaker.encoder(4096, [("x-app", "1")]))
        // The second with a name that is known, the third with one that is not.
        dialogue.client(
            0,
            request("/a", Speaker.indexed(1) + Speaker.indexed(0) + [0x40, 1, 0x79], inserted: 2),
            ends: true
        )
        dialogue.server(0, Speaker.answer("200"), ends: true)
        dialogue.client(4, Speaker.request("GET", "/b"), ends: true)
        let status = Speaker.prefix(inserted: 1, tableBytes: 4096) + Speaker.indexed(0)
        dialogue.server(4, Speaker.frame(1, status) + Speaker.data("x"), ends: true)
        // Of this one not even what it asks for.
        dialogue.client(8, Speaker.frame(1, Speaker.prefix(inserted: 2, tableBytes: 4096) + [0xd1, 0x80]))
        let (exchanges, losses) = read()
        #expect(exchanges.map(\.request.method) == ["GET", "GET", "GET"])
        #expect(exchanges.map(\.request.url.path) == ["/a", "/b", "/"])
        let names = exchanges.first?.request.headers.fields.map(\.name)
        #expect(names == ["host", "x-app"] && exchanges.first?.failure == nil)
        #expect(
            exchanges.dropFirst().map(\.failure) == [
                "the status of the answer is not known: it refers to header fields that are not in the capture",
                "what was asked for is not known: it refers to header fields that are not in the capture",
            ]
        )
        #expect(exchanges.flatMap(\.malformations).isEmpty)
        #expect(losses == "the URLs of 1 request and header fields of 2 messages")
    }
}
