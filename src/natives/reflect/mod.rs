//! Package reflect: types by their numbers, values by type and address.
//!
//! The guest's half (`std/reflect`) keeps a value as the number of its type and a pointer to it in memory form. A pointer into a variable
//! makes it settable; a box is the address of a value that nobody changes. Natives trust the pair: the guest's half makes no other.

mod calls;
mod chans;
mod deep;
mod made;
mod types;
mod values;

pub(in crate::natives) use made::find_or_make;
pub(in crate::natives) use types::kind_number;
pub(in crate::natives) use values::{from_slots, slots};

use super::Table;

pub(super) const TABLE: Table = &[
    ("addressOf", values::identity),
    ("asFunc", values::identity),
    ("bitsOf", values::identity),
    ("boxed", values::boxed),
    ("bytesAt", values::load_ptr),
    ("chanCap", values::chan_cap),
    ("chanLen", values::chan_len),
    ("clearMap", values::clear_map),
    ("copyValue", values::copy_value),
    ("deepEqual", deep::deep_equal),
    ("equalValues", values::equal_values),
    ("fieldAt", types::field_at),
    ("findFunc", made::find_func),
    ("findStruct", made::find_struct),
    ("findType", made::find_type),
    ("floatOf", values::identity),
    ("fromWords", calls::from_words),
    ("loadBits", values::load_bits),
    ("loadPtr", values::load_ptr),
    ("loadString", values::load_string),
    ("makeChan", chans::make_chan),
    ("makeMap", values::make_map),
    ("makeSlice", values::make_slice),
    ("mapDelete", values::map_delete),
    ("mapGet", values::map_get),
    ("mapKeys", values::map_keys),
    ("mapLen", values::map_len),
    ("mapSet", values::map_set),
    ("methodAt", types::method_at),
    ("methodFunc", calls::method_func),
    ("missing", types::missing),
    ("newValue", values::new_value),
    ("selectChans", chans::select_chans),
    ("shift", values::shift),
    ("sliceParts", values::slice_parts),
    ("slotCount", calls::slot_count),
    ("slotWords", calls::slot_words),
    ("storeAny", values::store_string),
    ("storeBits", values::store_bits),
    ("storePtr", values::store_string),
    ("storeSlice", values::store_slice),
    ("storeString", values::store_string),
    ("stride", values::stride),
    ("toAny", values::to_any),
    ("typeInfo", types::type_info),
    ("typeNames", types::type_names),
    ("typeOf", values::type_of),
    ("typePart", types::type_part),
];
