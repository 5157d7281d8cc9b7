/// What stands in an order of use, in an array.
protocol OrderedByUse {
    /// The place of the one that was used next, and of the one that was before; -1 where there is none.
    var newer: Int32 { get set }
    var older: Int32 { get set }
}

/// Connections from the one used last to the one that was silent longest; the neighbours stand in the connections.
struct UseOrder<Connection: OrderedByUse> {
    private var newest: Int32 = -1
    private var oldestSlot: Int32 = -1

    var oldest: Int? { oldestSlot < 0 ? nil : Int(oldestSlot) }

    @inline(__always)
    mutating func use(_ slot: Int, in connections: inout [Connection]) {
        guard newest != Int32(slot) else { return }
        remove(slot, from: &connections)
        add(slot, to: &connections)
    }

    mutating func add(_ slot: Int, to connections: inout [Connection]) {
        connections[slot].newer = -1
        connections[slot].older = newest
        if newest >= 0 { connections[Int(newest)].newer = Int32(slot) } else { oldestSlot = Int32(slot) }
        newest = Int32(slot)
    }

    mutating func remove(_ slot: Int, from connections: inout [Connection]) {
        let (newer, older) = (connections[slot].newer, connections[slot].older)
        if newer >= 0 { connections[Int(newer)].older = older } else { newest = older }
        if older >= 0 { connections[Int(older)].newer = newer } else { oldestSlot = newer }
    }
}
