@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// An import writes every member as its producer wrote it, save where HAR 1.2 wants something else.
struct OriginalEntryTests {
    /// The capture that an import makes of files.
    static func imported(_ files: [String]) throws -> JSONValue {
        try imported(
            files.enumerated().map { index, text in
                CaptureMerger.Source(
                    name: "\(index).har",
                    capture: try CaptureReader.read(bytes: Array(text.utf8), name: "\(index).har")
                )
            }
        )
    }

    static func imported(_ files: [CaptureMerger.Source]) throws -> JSONValue {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let merger = CaptureMerger(files)
        let path = folder.file("out.har")
        let writer = try CaptureWriter(newAt: path, version: "1.0", logMembers: merger.logMembers)
        try writer.append((0..<merger.count).map { merger.exchange(at: $0) }) { merger.original(at: $0) }
        return try JSONParser.parse(Array(Data(contentsOf: URL(filePath: path))))
    }

    /// Field lists of programs that call the name a key have what they think of each beside it.
    @Test func whatStandsBesideAKeyStays() throws {
        let har =
            #"{"log":{"entries":[{"startedDateTime":"2026-03-04T09:54:08.356Z","request":{"method":"GET","url":"https://idp.example/a","headers":[{"key":"Accept","value":"*/*","enabled":true}]},"response":{"status":200,"headers":[]}}]}}"#
        let request = try Self.imported([har])["log"]?["entries"]?.array?.first?["request"]
        let fields = try #require(request?["headers"]?.array)
        #expect(fields.count == 1 && fields[0]["name"] == "Accept" && fields[0]["value"] == "*/*")
        #expect(fields[0]["enabled"] == true && fields[0]["key"] == nil)
    }

    /// Of an entry, of its answer's headers and of the log, as many as a hostile file may have.
    @Test(.timeLimit(.minutes(1))) func manyMembersThatDifferCostNoQuadraticTime() throws {
        let files = [0, 1].map { file in
            let members = (0..<15_000).map { #""_m\#($0)":\#($0 + file)"# }.joined(separator: ",")
            let cookies = (0..<15_000).map { #"{"name":"Set-Cookie","value":"c\#($0)=\#(file)"}"# }.joined(
                separator: ","
            )
            return
                #"{"log":{\#(members),"entries":[{"startedDateTime":"2026-03-04T09:54:08Z","time":1,\#(members),"request":{"method":"GET","url":"https://a.example/cb?state=0123456789abcdef"},"response":{"status":200,"headers":[\#(cookies)]}}]}}"#
        }
        let log = try Self.imported(files)["log"]
        #expect(log?["entries"]?.array?.count == 1)
        let differs = log?["entries"]?.array?[0]["_authreel"]?["differs"]?["1.har"]
        #expect(differs?["_m14999"] == 15_000)
        #expect(log?["_authreel"]?["imported"]?["files"]?.array?[1]["members"]?["_m14999"] == 15_000)
    }

    /// Of an exchange that several files have, too, what only its producer knows to say is kept.
    @Test func whatSaysNothingSurvivesAMergeAsWell() throws {
        let entry = { (rest: String) in
            """
            {"log":{"entries":[{"startedDateTime":"2026-03-04T10:54:08.356+01:00","time":1,"pageref":null,"cache":{},"timings":{"send":0,"wait":1,"receive":0},
            "request":{"method":"GET","url":"https://a.example/cb?state=0123456789abcdef&code=fedcba9876543210","httpVersion":"h2","headers":[],"cookies":[],"queryString":[],"headersSize":-1,"bodySize":0},
            "response":{"status":200,"statusText":"","httpVersion":"h2","headers":[],"cookies":[],"content":{"size":0,"mimeType":"x-unknown","text":"","encoding":"base64","_x":null},"redirectURL":"","headersSize":-1,"bodySize":0\(rest)}}]}}
            """
        }
        let files = [entry(#","_error":null,"_chrome":null"#), entry(#","_server":null"#)]
        for names in [[0], [0, 1]] {
            let log = try #require(try Self.imported(names.map { files[$0] })["log"])
            #expect(log["entries"]?.array?.count == 1)
            let written = try #require(log["entries"]?.array?.first)
            let old = try #require(JSONParser.parse(Array(files[0].utf8))["log"]?["entries"]?.array?.first)
            let lost = Set(JSONDifferences.lost(of: old, in: written))
            // Of two sightings the union is told, an empty body as we tell it.
            let ofUnion: Set<String> = [
                "startedDateTime", "request.queryString", "response.content.text",
                "response.content.encoding",
            ]
            #expect(names.count == 1 ? lost == [] : lost.subtracting(ofUnion) == [], "\(lost)")
        }
    }

    /// Playwright writes bodies into files of their own; the answer to a form often has none that would be put in as well.
    @Test func bodyBesideTheHARIsWrittenIntoARequestWhoseAnswerHasNone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let name = "0a4d55a8d778e5022fab701977c5d840bbc486d0.dat"
        let post = { (params: String) in
            """
            {"startedDateTime":"2026-03-04T09:54:08.356Z","time":1,"cache":{},"timings":{"send":0,"wait":1,"receive":0},
            "request":{"method":"POST","url":"https://op.example/login","httpVersion":"h2","headers":[],"cookies":[],"queryString":[],"headersSize":-1,"bodySize":9,
            "postData":{"mimeType":"application/x-www-form-urlencoded","text":"","params":\(params),"_file":"\(name)"}},
            "response":{"status":303,"statusText":"","httpVersion":"h2","headers":[],"cookies":[],"content":{"size":-1,"mimeType":"text/html"},"redirectURL":"","headersSize":-1,"bodySize":0}}
            """
        }
        let har =
            #"{"log":{"version":"1.2","creator":{"name":"n","version":"1"},"entries":[\#(post("[]")),\#(post(#"[{"name":"user","value":"bob"}]"#))]}}"#
        try Data("user=bob%".utf8).write(to: URL(filePath: folder.file(name)))
        try Data(har.utf8).write(to: URL(filePath: folder.file("login.har")))
        var capture = try CaptureReader.read(path: folder.file("login.har"))
        capture.takeBodies(fromFilesBeside: folder.file("login.har"))
        let merger = CaptureMerger([CaptureMerger.Source(name: "login.har", capture: capture)])
        let out = folder.file("out.har")
        let writer = try CaptureWriter(newAt: out, version: "1.0", logMembers: merger.logMembers)
        try writer.append((0..<merger.count).map { merger.exchange(at: $0) }) { merger.original(at: $0) }
        let written = try JSONParser.parse(Array(Data(contentsOf: URL(filePath: out))))
        let bodies = written["log"]?["entries"]?.array?.map { $0["request"]?["postData"]?["text"]?.string }
        #expect(bodies == ["user=bob%", "user=bob%"])
    }

    // MARK: - Every member of HAR 1.2, odd in every way

    /// Every member that HAR 1.2 names, with a value that it allows.
    private static let whole = #"""
        {"log":{"version":"1.2","creator":{"name":"n","version":"1","comment":"c"},"browser":{"name":"b","version":"2","comment":"c"},
        "pages":[{"startedDateTime":"2026-03-04T09:54:08.356Z","id":"page_1","title":"t","pageTimings":{"onContentLoad":1,"onLoad":2,"comment":"c"},"comment":"c"}],
        "comment":"c","entries":[{"pageref":"page_1","startedDateTime":"2026-03-04T10:54:08.356+01:00","time":33.5,
        "request":{"method":"POST","url":"https://a.example/p?q=1","httpVersion":"HTTP/1.1",
        "cookies":[{"name":"a","value":"1","path":"/","domain":"a.example","expires":"2026-04-04T09:54:08.356Z","httpOnly":true,"secure":true,"comment":"c"}],
        "headers":[{"name":"Cookie","value":"a=1","comment":"c"}],"queryString":[{"name":"q","value":"1","comment":"c"}],
        "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"x","value":"1","fileName":"f","contentType":"text/plain","comment":"c"}],"text":"x=1","comment":"c"},
        "headersSize":150,"bodySize":3,"comment":"c"},
        "response":{"status":302,"statusText":"Found","httpVersion":"HTTP/1.1",
        "cookies":[{"name":"s","value":"2","path":"/","domain":"a.example","expires":"2026-04-04T09:54:08.356Z","httpOnly":false,"secure":false,"comment":"c"}],
        "headers":[{"name":"Set-Cookie","value":"s=2","comment":"c"}],
        "content":{"size":2,"compression":0,"mimeType":"text/plain","text":"e30=","encoding":"base64","comment":"c"},
        "redirectURL":"https://b.example/","headersSize":160,"bodySize":2,"comment":"c"},
        "cache":{"beforeRequest":{"expires":"2026-04-04T09:54:08.356Z","lastAccess":"2026-03-04T09:54:08.356Z","eTag":"e","hitCount":1,"comment":"c"},"afterRequest":{"lastAccess":"2026-03-04T09:54:08.356Z","eTag":"e","hitCount":1},"comment":"c"},
        "timings":{"blocked":1,"dns":2,"connect":3,"send":4,"wait":5,"receive":6,"ssl":1,"comment":"c"},
        "serverIPAddress":"192.0.2.1","connection":"7","comment":"c"}]}}
        """#

    /// What an entry has to have by HAR 1.2, and of which type.
    private static let required: [String: Kind] = [
        "startedDateTime": .time, "time": .measure, "request": .object, "response": .object,
        "cache": .object, "timings": .object, "request.method": .text, "request.url": .text,
        "request.httpVersion": .text, "request.cookies": .list, "request.headers": .list,
        "request.queryString": .list, "request.headersSize": .number, "request.bodySize": .number,
        "response.status": .number, "response.statusText": .text, "response.httpVersion": .text,
        "response.cookies": .list, "response.headers": .list, "response.content": .object,
        "response.redirectURL": .text, "response.headersSize": .number, "response.bodySize": .number,
        "response.content.size": .number, "response.content.mimeType": .text,
        "request.postData.mimeType": .text, "timings.send": .measure, "timings.wait": .measure,
        "timings.receive": .measure, "request.cookies.name": .text, "request.cookies.value": .text,
        "request.headers.name": .text, "request.headers.value": .text, "request.queryString.name": .text,
        "request.queryString.value": .text, "response.cookies.name": .text, "response.cookies.value": .text,
        "response.headers.name": .text, "response.headers.value": .text,
    ]

    /// What may be missing or null; a value that is there has to be of this type, where we know a better one.
    private static let optional: [String: Kind] = [
        "request.postData": .object, "request.postData.text": .text, "response.content.text": .text,
        "serverIPAddress": .text, "connection": .text, "timings.blocked": .number, "timings.dns": .number,
        "timings.connect": .number, "timings.ssl": .number,
    ]

    private enum Kind {
        case text, number, measure, time, list, object

        func allows(_ value: JSONValue) -> Bool {
            switch self {
            case .text: value.string != nil
            case .number: value.double != nil
            case .measure: (value.double ?? -1) >= 0
            case .time: value.string.flatMap(Timestamp.init(rfc3339:)) != nil
            case .list: value.array != nil
            case .object: value.object != nil
            }
        }
    }

    private static let oddValues: [JSONValue?] = [
        nil, .null, "", 0, -1, [], [:], true, "0", "x", .number(JSONNumber(text: "1.50")), ["x"], [[:]],
        ["x": "y"],
    ]

    /// The paths of all members, those in lists by their first element.
    private static func paths(in value: JSONValue, _ path: [String] = []) -> [[String]] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                [path + [member.name]] + paths(in: member.value, path + [member.name])
            }
        case .array(let list): list.first.map { paths(in: $0, path) } ?? []
        default: []
        }
    }

    private static func changed(_ value: JSONValue, _ path: ArraySlice<String>, to new: JSONValue?)
        -> JSONValue
    {
        switch value {
        case .object(var object):
            guard let name = path.first else { return value }
            object[name] = path.count == 1 ? new : object[name].map { changed($0, path.dropFirst(), to: new) }
            return .object(object)
        case .array(let list): return .array(list.map { changed($0, path, to: new) })
        default: return value
        }
    }

    @Test func everyMemberIsWrittenAsItWasUnlessHARForbidsIt() throws {
        let whole = try JSONParser.parse(Array(Self.whole.utf8))
        let paths = Self.paths(in: whole).filter { $0.count > 1 && $0 != ["log", "entries"] }
        #expect(paths.count > 100)
        for path in paths {
            for odd in Self.oddValues {
                let given = Self.changed(whole, path[...], to: odd)
                let result = try Self.imported([JSONWriter.text(of: given)])
                let place = path.dropFirst(path[1] == "entries" ? 2 : 0).joined(separator: ".")
                let words = "\(place) = \(odd.map { JSONWriter.text(of: $0) } ?? "absent")"
                let lost = Set(JSONDifferences.lost(of: given, in: result)).subtracting(Self.ofTheFile)
                let isForbidden =
                    odd.map { value in
                        !(Self.required[place]?.allows(value) ?? true)
                            || value != .null && !(Self.optional[place]?.allows(value) ?? true)
                    } ?? false
                // A pair without a name, or with several values, becomes what is read of it; so does a text that is none.
                let isPart =
                    ["name", "value"].contains(path.last) && Self.required[place] != nil
                    || place == "response.content.text"
                let own = (isPart ? path.dropLast() : path[...]).joined(separator: ".")
                #expect(
                    lost.allSatisfy {
                        // Of a list that may be there the elements may be none.
                        ($0 == own || $0.hasPrefix(own + "."))
                            && (isForbidden || isPart && odd?.string == nil || odd?.array?.isEmpty == false)
                    },
                    "\(words): \(lost)"
                )
                // What HAR demands is there, and as it demands it.
                let entry = result["log"]?["entries"]?.array?.first ?? .null
                for (name, kind) in Self.required {
                    for value in Self.values(at: name.split(separator: ".").map(String.init)[...], in: entry)
                    {
                        #expect(value.map(kind.allows) ?? false, "\(words): \(name)")
                    }
                }
            }
        }
    }

    /// All values at a path, nil where an object on it has none; of `postData` only where there is one.
    private static func values(at path: ArraySlice<String>, in value: JSONValue?) -> [JSONValue?] {
        guard let name = path.first else { return [value] }
        switch value {
        case .object(let object):
            if name == "postData", path.count > 1, object[name]?.object == nil { return [] }
            return values(at: path.dropFirst(), in: object[name])
        case .array(let list): return list.flatMap { values(at: path, in: $0) }
        default: return [nil]
        }
    }

    /// What is said of the file is said of ours: whose the first was stands in `_authreel.imported`.
    private static let ofTheFile: Set<String> = [
        "log.version", "log.creator", "log.creator.name", "log.creator.version", "log.creator.comment",
        "log.creator.x",
    ]
}
